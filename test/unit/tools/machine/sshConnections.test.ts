import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../../../components/docker/engineEndpoint";
import { limitSessions, shareSshConnections } from "../../../../tools/machine/sshConnections";

let folder: string;

// Not in the system's folder for temporary files: on macOS its path is too long for a socket.
beforeEach(() => (folder = mkdtempSync("/tmp/ssh-")));
afterEach(() => rmSync(folder, { recursive: true }));

const sockets = () => join(folder, "sockets");

const shared = (given: string | undefined, folders = [sockets()]): string | undefined => {
    const environment: Environment = { DOCKER_SSH_OPTS: given };
    shareSshConnections(environment, folders);
    return environment["DOCKER_SSH_OPTS"];
};

const fileIn = (options: string | undefined) => readFileSync(options?.split(" ").at(-1) ?? "", "utf8");

describe("ssh clients share one connection for each host", () => {
    test("by a configuration that prefers what the user's own and the system's say", () => {
        const options = shared(undefined);
        expect(options).toMatch(/^-F \/tmp\/ssh-[^ ]+\/sockets\/config-[0-9a-f]{12}$/);
        expect(fileIn(options)).toBe(
            'Include "~/.ssh/config"\nInclude "/etc/ssh/ssh_config"\nHost *\n    ControlMaster auto\n' +
                `    ControlPath ${sockets()}/%C\n    ControlPersist 60\n` +
                "    # If the host is gone, the connection ends within a minute.\n    ServerAliveInterval 15\n",
        );
    });

    test("beside the user's options, and with the configuration that they name", () => {
        const options = shared("-i /key  -F /mine -o Port=23");
        expect(options).toMatch(/^-i \/key -o Port=23 -F [^ ]+$/);
        expect(fileIn(options)).toMatch(/^Include "\/mine"\nHost \*\n/);
        expect(fileIn(shared("-F/mine"))).toMatch(/^Include "\/mine"\nHost \*\n/);
        expect(fileIn(shared("-F none"))).toMatch(/^Host \*\n/);
    });

    test("set only once, whoever starts whom", () => {
        const options = shared("-i /key");
        expect(shared(options)).toBe(options);
    });

    test("in a folder that nobody else can write to", () => {
        shared(undefined);
        expect(statSync(sockets()).mode & 0o777).toBe(0o700);
        const foreign = join(folder, "open");
        mkdirSync(foreign);
        chmodSync(foreign, 0o750);
        symlinkSync(sockets(), join(folder, "link"));
        const long = join(folder, "x".repeat(50));
        for (const one of [foreign, join(folder, "link"), join(folder, "no/such"), long, join(folder, "a b")]) {
            expect(shared("-i /key", [one])).toBe("-i /key");
            expect(shared(undefined, [one, sockets()])).toContain(`${sockets()}/config-`);
        }
    });
});

test("the number of operations at the same time is limited, unless the user has set one", () => {
    const environment: Environment = {};
    limitSessions(environment);
    expect(environment).toEqual({ PULUMI_PARALLEL: "5" });
    const given: Environment = { PULUMI_PARALLEL: "64" };
    limitSessions(given);
    expect(given).toEqual({ PULUMI_PARALLEL: "64" });
});
