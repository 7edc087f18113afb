import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../../../components/docker/engineEndpoint";
import { adoptEngineOfFile } from "../../../../tools/stack/engineOfFile";

const FOLDER = mkdtempSync(join(tmpdir(), "engine-of-file-"));

afterAll(() => rmSync(FOLDER, { recursive: true }));

const CONTEXT = { DOCKER_CONFIG: FOLDER, DOCKER_CONTEXT: "default" };

const adopted = async (config: string, environment: Environment = CONTEXT) => {
    writeFileSync(join(FOLDER, "Pulumi.prod.yaml"), `config:\n  ${config}\n`);
    const cli = { ...environment };
    const findEngine = jest.fn(() => Promise.resolve());
    await adoptEngineOfFile("prod", cli, findEngine, FOLDER);
    return { cli, found: findEngine.mock.calls.length };
};

const hosts = (url: string) => `object-store:hosts: [{name: a, dockerHost: "${url}"}]`;

test("a stack with hosts needs no engine of this machine, and no context", async () => {
    expect(await adopted(hosts("tcp://a:2376"))).toEqual({ cli: { DOCKER_CONFIG: FOLDER }, found: 0 });
    const { cli, found } = await adopted(hosts("ssh://a"), { ...CONTEXT, DOCKER_HOST: "ssh://elsewhere" });
    expect([cli["PULUMI_PARALLEL"], found]).toEqual(["5", 0]);
});

test("a stack without hosts uses this machine's engine, or the one that is named", async () => {
    expect(await adopted("object-store:s3Host: s3.localhost")).toEqual({ cli: { DOCKER_CONFIG: FOLDER }, found: 1 });
    const { cli } = await adopted("object-store:s3Host: s3.localhost", { DOCKER_HOST: "ssh://elsewhere" });
    expect(cli).toEqual({ DOCKER_HOST: "ssh://elsewhere", PULUMI_PARALLEL: "5" });
    expect((await adopted("docker:host: ssh://elsewhere")).cli["PULUMI_PARALLEL"]).toBe("5");
});

test("without a stack this machine's engine is used", async () => {
    const findEngine = jest.fn(() => Promise.resolve());
    await adoptEngineOfFile(undefined, { DOCKER_HOST: "unix:///docker.sock" }, findEngine, FOLDER);
    expect(findEngine).toHaveBeenCalledTimes(1);
});
