import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { satisfies, valid } from "semver";
import { parse } from "yaml";
import { PROJECT } from "../../../tools/paths";

interface Step {
    uses?: string;
    run?: string;
    with?: { [key: string]: unknown };
}

interface Job {
    "runs-on": string;
    "timeout-minutes": number;
    strategy?: { matrix: { node: string[] } };
    steps: Step[];
}

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const text = read(".github/workflows/ci.yml");
const { jobs, permissions } = parse(text) as { jobs: { [name: string]: Job }; permissions: object };
const { scripts, engines } = JSON.parse(read("package.json")) as {
    scripts: { [name: string]: string };
    engines: { node: string };
};
const steps = Object.values(jobs).flatMap((job) => job.steps);
const commands = steps.flatMap(({ run }) => run ?? []);

test("the workflow's commands are `npm ci`, scripts of package.json, and .ci/run", () => {
    expect(commands).not.toEqual([]);
    const own = commands.filter((command) => {
        const [, script] = /^npm run ([\w:-]+)( -- [\w -]+)?$/.exec(command) ?? [];
        return script === undefined
            ? !["npm ci", 'sudo env "PATH=$PATH" .ci/run'].includes(command)
            : !(script in scripts);
    });
    expect(own).toEqual([]);
    expect(statSync(join(PROJECT, ".ci", "run")).mode & 0o111).not.toBe(0);
    expect(spawnSync("bash", ["-n", join(PROJECT, ".ci", "run")]).status).toBe(0);
});

test(".ci/run is the README's test command, with a part of the longer tests", () => {
    expect(read("README.md")).toContain("npm ci && npm test");
    const last = read(".ci/run").trimEnd().split("\n").at(-1) ?? "";
    expect(last).toMatch(/^npm ci && npm test -- --steady-shard "\$\(\(commits % 3 \+ 1\)\)\/3"$/);
});

test("the checks are those that `npm test` and a release run, in that order", () => {
    const checks = ["npm ci", "npm run lint", "npm run typecheck", "npm run test:unit"];
    expect(jobs["checks"]?.steps.flatMap(({ run }) => run ?? [])).toEqual(checks);
});

test("actions are pinned by commit, with their version; the image, Node.js and Go by version", () => {
    const uses = [...text.matchAll(/uses: (\S+)(.*)$/gm)];
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    for (const [, action = "", comment = ""] of uses) {
        expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
        expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
    Object.values(jobs).forEach((job) => {
        expect(job["runs-on"]).toMatch(/^ubuntu-\d\d\.\d\d$/);
        expect(job["timeout-minutes"]).toBeLessThanOrEqual(120);
    });
    const versions = steps.flatMap(({ with: options = {} }) => [options["node-version"], options["go-version"]]);
    for (const version of versions.filter((one) => one !== undefined && one !== "${{ matrix.node }}")) {
        expect(valid(version as string)).toBe(version);
    }
});

test("each supported line of Node.js is tested", () => {
    const tested = jobs["checks"]?.strategy?.matrix.node ?? [];
    expect(tested.map((version) => version.split(".")[0])).toEqual(["20", "22", "24"]);
    tested.forEach((version) => expect(satisfies(version, engines.node)).toBe(true));
});

test("the workflow may only read, and uses no secret", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(text).not.toMatch(/secrets\.|pull_request_target/);
});
