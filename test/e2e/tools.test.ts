import { statSync } from "node:fs";
import { join } from "node:path";
import { Checkout } from "./harness/checkout";
import { DockerHost } from "./harness/dockerHost";

describe("npm run up, pulumi and down, in a checkout of its own", () => {
    const host = new DockerHost();
    let checkout: Checkout;
    let stack: string;
    let clusterName: string;
    let volume: string;
    let secrets: string;
    let summary: string;
    let accessKey: string;

    beforeAll(async () => {
        checkout = await Checkout.make();
        ({ stack, clusterName } = checkout);
        volume = `${clusterName}-pool1-node1-drive1`;
        secrets = `${clusterName}-pool1-node1-secrets`;
        shell("git init --quiet && git add .");
        shell("git -c user.name=test -c user.email=test@example.com commit --quiet -m test");
    }, 60_000);

    afterAll(() => checkout.remove());

    const shell = (command: string) => checkout.shell(command);
    const changedFiles = () => shell("git status --porcelain");

    test("npm run up shows its steps and ends with a summary, and leaves the checkout clean", () => {
        const output = shell(`npm run up -- --stack ${stack}`);
        for (const name of ["Docker", "Pulumi", "Backend", "Images and stack", "Hostnames", "pulumi up"]) {
            expect(output).toContain(`==> ${name}\n`);
        }
        summary = output.slice(output.indexOf("S3 API:"));
        expect(summary).toMatch(/Console: https:\/\/console\.localhost:\d+/);
        expect(changedFiles()).toBe("");
        expect(statSync(join(checkout.path, ".local", "passphrase")).mode & 0o777).toBe(0o600);
    }, 120_000);

    test("the command in the summary works unchanged, and so do the commands for the credentials", () => {
        const [, command = ""] = /Try it, by making a bucket:\n([^]*?)\n\n/.exec(summary) ?? [];
        expect(command).toContain("curl");
        expect(shell(command).trim()).toBe("status 200");
        const commands = summary.match(/npm run --silent pulumi -- stack output \w+ --show-secrets$/gm) ?? [];
        expect(commands).toHaveLength(2);
        accessKey = shell(commands[0] ?? "").trim();
        expect(accessKey).toMatch(/^[A-Z0-9]{20}$/);
    }, 60_000);

    test("npm run up can be repeated", () => {
        expect(shell("npm run up")).toMatch(new RegExp(`taking the stack ${stack} of the last run[^]*32 unchanged`));
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

    test("npm run down keeps the data and says so; npm run up starts the store with it again", async () => {
        const output = shell("npm run down");
        expect(output).toContain("Kept");
        expect(output).toContain(volume);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(accessKey);
        expect(changedFiles()).toBe("");
    }, 120_000);

    test("npm run down -- --stack refuses an unknown stack", () => {
        expect(checkout.shellFailing("npm run down -- --stack nowhere --delete-data --yes")).toContain(
            '--stack "nowhere" is not in file://',
        );
    });

    test("an unknown option is refused with the list of known ones", () => {
        expect(checkout.shellFailing("npm run up -- --store ceph")).toContain(
            "argument 'ceph' is invalid. Allowed choices are rustfs, minio.",
        );
    });
});
