import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { changeState } from "../../../../tools/pulumi/changedState";
import type { ExportedState } from "../../../../tools/pulumi/stackState";
import * as workspaces from "../../../../tools/pulumi/workspace";

jest.mock("../../../../tools/pulumi/workspace", () => ({
    ...jest.requireActual<object>("../../../../tools/pulumi/workspace"),
    askPulumi: jest.fn(),
    projectName: () => "object-store",
}));

const EMPTY: ExportedState = { deployment: { resources: [] } };
const CHANGED: ExportedState = { deployment: { resources: [{ urn: "changed", type: "" }] } };

describe("a change of a stack's state", () => {
    let folder: string;
    let state: ExportedState;
    /** What the CLI was asked for, and the locks that it saw. */
    let asked: string[];
    const path = (...parts: string[]) => join(folder, ".pulumi", ...parts);
    const locks = (...parts: string[]) => join(...parts, "locks/organization/object-store/dev");
    const namesIn = (place: string) => (existsSync(place) ? readdirSync(place) : []);

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "state-"));
        ["stacks/object-store", "locks/organization/object-store/dev"].forEach((name) =>
            mkdirSync(path(name), { recursive: true }),
        );
        writeFileSync(path("meta.yaml"), "version: 1\n");
        [state, asked] = [EMPTY, []];
        jest.mocked(workspaces.askPulumi).mockImplementation(({ env }, args) => {
            const backend = join(fileURLToPath(env["PULUMI_BACKEND_URL"] ?? ""), ".pulumi");
            asked.push(`${args[1]}, locks: ${namesIn(locks(backend)).length} of ${namesIn(locks(path())).length}`);
            if (args[1] === "import") {
                // No stack is selected there.
                expect(env["PULUMI_STACK"]).toBe("dev");
                expect(readFileSync(join(backend, "meta.yaml"), "utf8")).toBe("version: 1\n");
                writeFileSync(join(backend, "stacks/object-store/dev.json"), readFileSync(args[3] ?? ""));
            }
            return Promise.resolve(JSON.stringify(state));
        });
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const workspace = () => ({
        folder,
        env: { PULUMI_BACKEND_URL: `file://${folder}` },
        backend: `file://${folder}`,
        description: "",
    });
    const recorded = () => namesIn(path("stacks/object-store"));

    test("is read and written under one lock, which the CLI's import doesn't see", async () => {
        await changeState(workspace(), "dev", () => CHANGED);
        expect(asked).toEqual(["export, locks: 1 of 1", "export, locks: 1 of 1", "import, locks: 0 of 1"]);
        expect(JSON.parse(readFileSync(path("stacks/object-store/dev.json"), "utf8"))).toEqual(CHANGED);
        expect(namesIn(locks(path()))).toEqual([]);
    });

    test("writes nothing if nothing is to change", async () => {
        await changeState(workspace(), "dev", () => undefined);
        expect([asked, recorded()]).toEqual([["export, locks: 1 of 1"], []]);
    });

    test("is refused while somebody else updates the stack", async () => {
        const lock = { pid: 1, username: "ops", hostname: `not-${hostname()}`, timestamp: "2026-11-25T17:26:53Z" };
        writeFileSync(join(locks(path()), "their.json"), JSON.stringify(lock));
        await expect(changeState(workspace(), "dev", () => CHANGED)).rejects.toThrow(
            "an update of this stack is under way",
        );
        expect([asked, recorded()]).toEqual([[], []]);
    });

    test("isn't written over what somebody else has recorded meanwhile, such as generated secrets", async () => {
        const change = () => {
            state = {
                deployment: { resources: [{ urn: "theirs", type: "random:index/randomPassword:RandomPassword" }] },
            };
            return CHANGED;
        };
        await expect(changeState(workspace(), "dev", change)).rejects.toThrow("somebody else has changed the state");
        const service = { ...workspace(), backend: "https://api.example.com" };
        state = EMPTY;
        await expect(changeState(service, "dev", change)).rejects.toThrow("somebody else has changed the state");
        expect(recorded()).toEqual([]);
    });
});
