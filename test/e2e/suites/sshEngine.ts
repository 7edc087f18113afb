import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../../components/docker/engineEndpoint";
import { shareSshConnections } from "../../../tools/machine/sshConnections";
import { Checkout } from "../harness/checkout";
import { finishedCommand } from "../harness/finishedCommand";
import { SshServer, type SshConnections } from "../harness/sshServer";
import { standInStore } from "../harness/stores";
import { testedSocket } from "../harness/testRun";

const MINUTE = 60_000;

/** Size of a run of the suite. */
export interface SshEngineSize {
    nodeCount: number;
    /** Number of updates and refreshes. */
    rounds: number;
}

/** A cluster on an engine by `ssh://`, at an sshd with its default limits: one connection is enough for each command. */
export function sshEngineSuite({ nodeCount, rounds }: SshEngineSize): void {
    let ssh: SshServer;
    let checkout: Checkout;
    let socket: string;
    const folder = mkdtempSync(join(tmpdir(), "ssh-engine-"));
    let before: SshConnections = { accepted: 0, sessions: 0, dropped: 0 };

    /** What sshd has counted since the last call. */
    const counted = async (): Promise<SshConnections> => {
        const { accepted, sessions, dropped } = await ssh.connections();
        const since = {
            accepted: accepted - before.accepted,
            sessions: sessions - before.sessions,
            dropped: dropped - before.dropped,
        };
        before = { accepted, sessions, dropped };
        return since;
    };

    const run = (command: string) => checkout.shell(command, { DOCKER_SSH_OPTS: `-F ${ssh.configuration}` });

    beforeAll(async () => {
        socket = testedSocket();
        ssh = await SshServer.start([socket]);
        checkout = await Checkout.make({
            ...standInStore().config,
            nodeCount: String(nodeCount),
            "docker:host": ssh.urlOf(socket),
        });
    }, 2 * MINUTE);

    afterAll(async () => {
        await checkout.remove();
        await ssh.remove();
        rmSync(folder, { recursive: true });
    }, 2 * MINUTE);

    test("the limits of sshd are its defaults", async () => {
        expect(await ssh.limits()).toEqual(["maxsessions 10", "maxstartups 10:30:100"]);
    });

    test("what the user's own configuration of ssh says has precedence", () => {
        const configured = (name: string, lines: string) => {
            const file = join(folder, name);
            writeFileSync(file, lines);
            const environment: Environment = { DOCKER_SSH_OPTS: `-F ${file}` };
            shareSshConnections(environment);
            const options = environment["DOCKER_SSH_OPTS"]?.split(" ") ?? [];
            const { stdout } = finishedCommand(folder, "ssh", ["-G", ...options, "docker.example.com"]);
            return stdout.split("\n").filter((line) => /^(user|control\w+) /.test(line));
        };
        expect(configured("plain", "User operator\n")).toEqual([
            "user operator",
            "controlmaster auto",
            expect.stringMatching(/^controlpath \/.*\/[0-9a-f]{40}$/),
            "controlpersist 60",
        ]);
        const own = "Host docker.*\n ControlMaster no\n ControlPath /run/%h\n ControlPersist yes\n";
        expect(configured("shared", own).sort().slice(0, 3)).toEqual([
            "controlmaster false",
            "controlpath /run/docker.example.com",
            "controlpersist yes",
        ]);
    });

    test(
        "npm run up deploys it through one connection",
        async () => {
            run(`npm run up -- --stack ${checkout.stack}`);
            const { accepted, sessions, dropped } = await counted();
            expect({ accepted, dropped }).toEqual({ accepted: 1, dropped: 0 });
            expect(sessions).toBeGreaterThan(nodeCount);
        },
        6 * MINUTE,
    );

    test(
        `${rounds} updates and refreshes have one connection each, or none of their own`,
        async () => {
            for (let round = 0; round < rounds; round++) {
                run(`npm run pulumi -- config set hstsMaxAge ${100 + round}`);
                for (const command of ["npm run up", "npm run pulumi -- refresh --yes --skip-preview"]) {
                    run(command);
                    const { accepted, dropped } = await counted();
                    expect({ round, command, few: accepted <= 1, dropped }).toEqual({
                        round,
                        command,
                        few: true,
                        dropped: 0,
                    });
                }
            }
        },
        rounds * 4 * MINUTE,
    );

    test(
        "a second update shows no change, and nothing is left running",
        async () => {
            expect(run("npm run up")).toMatch(/Resources:\n +\d+ unchanged\n/);
            for (let waited = 0; (await ssh.clients()) > 0 && waited < 90; waited++) {
                await sleep(1000);
            }
            expect(await ssh.clients()).toBe(0);
        },
        5 * MINUTE,
    );
}
