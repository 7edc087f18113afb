import type { DeployedCluster } from "../../components/preflight/deployedCluster";
import type { DesiredCluster } from "../../components/preflight/desiredCluster";
import { takeOverProblems } from "../../components/preflight/takeOverChecks";
import type { DockerEngine } from "../../components/engine/dockerEngine";
import { takeOverBetween, type TakeOver } from "../../components/store/profiles/takeOvers";
import { VirtualClock } from "./rollout/virtualClock";

const LAYOUT = JSON.stringify({
    version: "1",
    format: "xl-single",
    xl: { version: "3", this: "one", sets: [["one"]] },
});

/** Problems of a take-over of one drive, whose store answers all requests with a status; and the requests. */
async function problemsOf(takeOver: TakeOver | undefined, status: number, allowedChanges: string[] = []) {
    const asked: string[] = [];
    const engine = {
        checkHealth: () => Promise.resolve({ code: 0, output: "" }),
        readFile: () => Promise.resolve(LAYOUT),
        run: (_: string, command: string[]) => {
            const paths = command.slice(4);
            asked.push(...paths);
            return Promise.resolve({
                code: 0,
                output: paths.map(() => `<Name>bucket</Name>\n=== ${status} 0\n`).join(""),
            });
        },
    } as unknown as DockerEngine;
    const node = { name: "node1", drives: [{ mountPath: "/data1", volumeName: "node1-drive1" }] };
    const problems = await takeOverProblems(
        takeOver as TakeOver,
        { nodes: [{ name: "node1", container: { id: "id", state: "running" } }] } as unknown as DeployedCluster,
        { nodes: [node], allowedChanges } as unknown as DesiredCluster,
        () => Promise.resolve(engine),
        false,
        new VirtualClock(),
    );
    return { problems, asked };
}

describe("a store that is asked before another one takes over its drives", () => {
    test("and doesn't answer is a reason to try again later", async () => {
        const { problems } = await problemsOf(takeOverBetween("minio", "rustfs"), 503);
        expect(problems).toEqual([
            {
                propertyPath: "profile",
                reason: expect.stringMatching(
                    /^"rustfs" can't take over the drives now: .* read from node1: minio answers GET \/ with 503: .*\. Run this again/,
                ) as string,
            },
        ]);
    });

    test("isn't asked for settings that may be lost", async () => {
        const allowed = await problemsOf(takeOverBetween("minio", "rustfs"), 503, ["settingLoss"]);
        expect(allowed).toEqual({ problems: [], asked: [] });
    });

    test("isn't asked for settings on the way back, since all of them have an effect there", async () => {
        expect(await problemsOf(takeOverBetween("rustfs", "minio"), 503)).toEqual({ problems: [], asked: [] });
    });
});
