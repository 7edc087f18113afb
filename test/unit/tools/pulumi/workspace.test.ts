import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findWorkspace, namedStack, otherBackend } from "../../../../tools/pulumi/workspace";

const mockFolder = mkdtempSync("/tmp/workspace-");

jest.mock("../../../../tools/paths", () => ({
    ...jest.requireActual<object>("../../../../tools/paths"),
    get LOCAL() {
        return mockFolder;
    },
}));

const before = { ...process.env };

beforeEach(() => {
    const others = Object.entries(before).filter(([name]) => !name.startsWith("DOCKER_"));
    const own = { PULUMI_BACKEND_URL: `file://${mockFolder}`, XDG_RUNTIME_DIR: mockFolder };
    process.env = { ...Object.fromEntries(others), ...own };
});

afterAll(() => {
    process.env = before;
    rmSync(mockFolder, { recursive: true });
});

test("the CLI doesn't get the engine of Docker's context before it is known that the stack has no hosts", () => {
    const context = join(mockFolder, "contexts/meta/secure");
    mkdirSync(context, { recursive: true });
    const meta = { Name: "secure", Endpoints: { docker: { Host: "tcp://secure:2376" } } };
    writeFileSync(join(context, "meta.json"), JSON.stringify(meta));
    mkdirSync(join(mockFolder, "contexts/tls/secure/docker"), { recursive: true });
    writeFileSync(join(mockFolder, "contexts/tls/secure/docker/cert.pem"), "");
    writeFileSync(join(mockFolder, "config.json"), JSON.stringify({ currentContext: "secure" }));
    process.env["DOCKER_CONFIG"] = mockFolder;
    const { env } = findWorkspace();
    expect(Object.keys(env).filter((name) => name.startsWith("DOCKER_"))).toEqual(["DOCKER_CONFIG", "DOCKER_SSH_OPTS"]);
});

test("the CLI's ssh clients share connections with this program's", () => {
    const { env } = findWorkspace();
    expect(env["DOCKER_SSH_OPTS"]).toMatch(new RegExp(`^-F ${mockFolder}/.*/config-[0-9a-f]+$`));
    expect(process.env["DOCKER_SSH_OPTS"]).toBe(env["DOCKER_SSH_OPTS"]);
});

test("the project's own backend has its passphrase, also if a variable names it", () => {
    process.env["PULUMI_BACKEND_URL"] = `file://${join(mockFolder, "state")}`;
    const { backend, env } = findWorkspace();
    expect(backend).toBe(process.env["PULUMI_BACKEND_URL"]);
    expect(env["PULUMI_CONFIG_PASSPHRASE_FILE"]).toBe(join(mockFolder, "passphrase"));
});

test("a stack that the backend doesn't have may be in the project's own, if that has any", () => {
    const own = `file://${join(mockFolder, "state")}`;
    expect(otherBackend("s3://states")).toBe("");
    mkdirSync(join(mockFolder, "state/.pulumi/stacks"), { recursive: true });
    expect(otherBackend("s3://states")).toContain(`You are logged in to s3://states.`);
    expect(otherBackend("s3://states")).toContain(`PULUMI_BACKEND_URL=${own} uses them`);
    expect(otherBackend(own)).toBe("");
});

test.each<[string[], string | undefined]>([
    [["up", "--stack", "prod"], "prod"],
    [["up", "-s", "prod", "--diff"], "prod"],
    [["up", "--stack=prod"], "prod"],
    [["-s=prod", "preview"], "prod"],
    [["up", "--skip-preview"], undefined],
])("the stack in the CLI's arguments %j is %s", (args, stack) => {
    expect(namedStack(args)).toBe(stack);
});
