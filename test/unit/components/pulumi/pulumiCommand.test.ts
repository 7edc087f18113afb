import { onlyRefreshes, type RunningProcess } from "../../../../components/pulumi/pulumiCommand";

/** The answer for a program that these processes have started, from the nearest one on. */
function startedBy(...commands: string[]): boolean {
    const processes = new Map<number, RunningProcess>(
        commands.map((command, index) => [index + 10, { command: command.split(" "), parent: index + 11 }]),
    );
    return onlyRefreshes(10, (id) => processes.get(id));
}

const HOST = "/home/me/.pulumi/bin/pulumi-language-nodejs 127.0.0.1:1";

test.each([
    ["pulumi refresh --run-program --yes", true],
    ["/opt/pulumi/bin/pulumi --non-interactive refresh --yes --run-program", true],
    ["pulumi destroy --run-program", true],
    ["pulumi up --yes", false],
    ["pulumi up --refresh --run-program", false],
    ["pulumi preview --refresh", false],
    ["pulumi -C refresh up", false],
    ["pulumi up --stack refresh", false],
    ["pulumi update --cwd /srv/refresh", false],
    ["npm run pulumi refresh", false],
])("the command %s registers without changing: %s", (command, expected) => {
    expect(startedBy(HOST, command)).toBe(expected);
    expect(startedBy(command)).toBe(expected);
});

test("the nearest CLI counts; a program without one runs as in an update", () => {
    expect(startedBy(HOST, "pulumi up", "node automation.js", "pulumi refresh --run-program")).toBe(false);
    expect(startedBy("node program.js", "bash", "init")).toBe(false);
    expect(startedBy()).toBe(false);
    expect(startedBy(...Array.from({ length: 20 }, () => "bash"), "pulumi refresh")).toBe(false);
});
