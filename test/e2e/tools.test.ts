import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT, PULUMI_HOME } from "../../tools/paths";
import { freePorts } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { runPrefix, testImages } from "./harness/testRun";

describe("npm run up, pulumi and down, in a checkout of its own", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "checkout-"));
    const checkout = join(folder, "project");
    const clusterName = `${runPrefix()}-${randomBytes(3).toString("hex")}`;
    // Of this checkout alone: data is known by the name of its stack.
    const stack = clusterName;
    const volume = `${clusterName}-pool1-node1-drive1`;
    const secrets = `${clusterName}-pool1-node1-secrets`;
    // Nobody is logged in there, so that the local backend is taken.
    const env = { ...process.env, PULUMI_HOME: join(folder, "pulumi-home"), PULUMI_BACKEND_URL: undefined };
    let summary: string;
    let accessKey: string;

    beforeAll(async () => {
        const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
            cwd: PROJECT,
        });
        for (const file of files
            .toString()
            .split("\0")
            .filter((name) => name !== "")) {
            cpSync(join(PROJECT, file), join(checkout, file));
        }
        symlinkSync(join(PROJECT, "node_modules"), join(checkout, "node_modules"));
        for (const part of ["versions", "plugins"]) {
            cpSync(join(PULUMI_HOME, part), join(env.PULUMI_HOME, part), { recursive: true, filter: linkInstead });
        }
        const [httpPort, httpsPort] = await freePorts();
        const { minio, haproxy } = testImages();
        writeFileSync(
            join(checkout, `Pulumi.${stack}.yaml`),
            [
                "config:",
                `  object-store:clusterName: ${clusterName}`,
                "  object-store:profile: minio",
                `  object-store:image: ${minio}`,
                `  object-store:haproxyImage: ${haproxy}`,
                `  object-store:httpPort: ${httpPort}`,
                `  object-store:httpsPort: ${httpsPort}`,
                "  object-store:publishAddress: 127.0.0.1",
                "  object-store:allowDrivesOnOneDevice: true",
                "",
            ].join("\n"),
        );
        for (const args of [
            ["init", "--quiet"],
            ["add", "."],
            ["-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "test"],
        ]) {
            execFileSync("git", args, { cwd: checkout });
        }
    }, 60_000);

    afterAll(async () => {
        await host.removeEverythingOf(clusterName);
        rmSync(folder, { recursive: true, force: true });
    });

    /** Runs a command line as a user types it, and gives what it printed. */
    const shell = (command: string, expectedStatus = 0): string => {
        const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: checkout, env, encoding: "utf8" });
        if (status !== expectedStatus) {
            throw new Error(`${command} ended with ${status}:\n${stdout}\n${stderr}`);
        }
        return stdout;
    };
    const changedFiles = () => shell("git status --porcelain");

    test("npm run up goes through visible steps to a summary, and leaves the checkout clean", () => {
        const output = shell(`npm run up -- --stack ${stack}`);
        for (const name of ["Docker", "Pulumi", "Backend", "Images and stack", "Hostnames", "pulumi up"]) {
            expect(output).toContain(`==> ${name}\n`);
        }
        summary = output.slice(output.indexOf("S3 API:"));
        expect(summary).toMatch(/Console: https:\/\/console\.localhost:\d+/);
        expect(changedFiles()).toBe("");
        expect(statSync(join(checkout, ".local", "passphrase")).mode & 0o777).toBe(0o600);
    }, 120_000);

    test("the command that the summary suggests works as it stands, and so do those for the credentials", () => {
        const [, command = ""] = /Try it, by making a bucket:\n([^]*?)\n\n/.exec(summary) ?? [];
        expect(command).toContain("curl");
        expect(shell(command).trim()).toBe("status 200");
        const commands = summary.match(/npm run --silent pulumi -- stack output \w+ --show-secrets$/gm) ?? [];
        expect(commands).toHaveLength(2);
        accessKey = shell(commands[0] ?? "").trim();
        expect(accessKey).toMatch(/^[A-Z0-9]{20}$/);
    }, 60_000);

    test("npm run up is safe to repeat", () => {
        expect(shell("npm run up")).toMatch(new RegExp(`taking the stack ${stack} of the last run[^]*29 unchanged`));
    }, 60_000);

    test("npm run pulumi runs the CLI on the same stack", () => {
        const outputs = JSON.parse(shell("npm run --silent pulumi -- stack output --json --show-secrets")) as {
            accessKey: string;
        };
        expect(outputs.accessKey).toBe(accessKey);
        shell("npm run pulumi -- config set memory 512");
        expect(changedFiles()).toBe(` M Pulumi.${stack}.yaml\n`);
        expect(shell("git diff")).toContain('+  object-store:memory: "512"');
        expect(shell("git diff")).not.toContain("encryptionsalt");
        expect(shell("npm run pulumi -- preview --diff")).toMatch(/memory *: 0 => 512/);
        expect(shell("npm run pulumi -- up --yes")).toContain("1 replaced");
        shell(`git checkout Pulumi.${stack}.yaml`);
    }, 120_000);

    test("npm run down keeps the data and says so; npm run up brings the store back", async () => {
        const output = shell("npm run down");
        expect(output).toContain("Kept");
        expect(output).toContain(volume);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(accessKey);
        expect(changedFiles()).toBe("");
    }, 120_000);

    test("npm run up refuses to deploy over data whose credentials are elsewhere", async () => {
        shell("npm run down");
        shell("mv .local elsewhere && echo elsewhere >> .git/info/exclude");
        const output = shell(`npm run up -- --stack ${stack} 2>&1`, 1);
        expect(output).toContain(
            `the cluster ${clusterName} has data on this engine that the stack's state doesn't know`,
        );
        expect(output).toContain(volume);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("rm -r .local && mv elsewhere .local && npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(accessKey);
    }, 120_000);

    test("npm run down -- --delete-data names the data and deletes it", async () => {
        const output = shell("npm run down -- --delete-data");
        expect(output.indexOf(volume)).toBeLessThan(output.indexOf("==> pulumi destroy"));
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 120_000);

    test("a wish that isn't known is refused, with what is", () => {
        const command = "npm run up -- --store ceph 2>&1";
        expect(shell(command, 1)).toContain('--store "ceph" is not known: give one of rustfs, minio');
    });
});

/** Links each file in place of copying it. */
function linkInstead(source: string, target: string): boolean {
    if (statSync(source).isDirectory()) {
        return true;
    }
    symlinkSync(source, target);
    return false;
}
