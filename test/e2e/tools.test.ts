import { mkdirSync, statSync } from "node:fs";
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

    test("another stack on the same ports is refused: the one that has them is named, with the command that removes it", () => {
        const other = `${stack}-other`;
        shell(`sed 's/${clusterName}/${other}/' Pulumi.${stack}.yaml > Pulumi.${other}.yaml`);
        const output = checkout.shellFailing(`npm run up -- --stack ${other}`);
        expect(output).toMatch(new RegExp(`the stack ${stack} publishes port \\d+ and \\d+ on this host already`));
        expect(output).toContain(`npm run down -- --stack ${stack} (its data stays)`);
        shell(`npm run pulumi -- stack rm --yes ${other} && rm -f Pulumi.${other}.yaml`);
        shell(`npm run pulumi -- stack select ${stack}`);
        expect(changedFiles()).toBe("");
    }, 60_000);

    test("npm run down keeps the data and says so; npm run up starts the store with it again", async () => {
        const output = shell("npm run down");
        expect(output).toContain("Kept");
        expect(output).toContain(volume);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(accessKey);
        expect(changedFiles()).toBe("");
    }, 120_000);

    test("npm run up refuses to deploy over data whose credentials the stack doesn't have", async () => {
        shell("npm run down");
        shell("mv .local elsewhere && echo elsewhere >> .git/info/exclude");
        const output = checkout.shellFailing(`npm run up -- --stack ${stack}`);
        expect(output).toContain(
            `the cluster ${clusterName} has data on this engine that the stack's state doesn't know`,
        );
        expect(output).toContain(volume);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("rm -r .local && mv elsewhere .local && npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(accessKey);
    }, 120_000);

    test("npm run down -- --delete-data without a terminal requires --yes, and changes nothing before", async () => {
        const before = (await host.namesOf(clusterName)).sort();
        expect(checkout.shellFailing("npm run down -- --delete-data < /dev/null")).toContain(
            "there is no terminal to ask at: add --yes. Nothing was changed.",
        );
        expect((await host.namesOf(clusterName)).sort()).toEqual(before);
        expect(before).toContain(`${clusterName}-proxy`);
    });

    test("npm run down -- --stack refuses an unknown stack", () => {
        expect(checkout.shellFailing("npm run down -- --stack nowhere --delete-data --yes")).toContain(
            '--stack "nowhere" is not in file://',
        );
    });

    test("npm run down -- --delete-data names the data and deletes it", async () => {
        const output = shell(`npm run down -- --stack ${stack} --delete-data --yes`);
        expect(output.indexOf(volume)).toBeLessThan(output.indexOf("==> pulumi destroy"));
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 120_000);

    test("npm run down -- --delete-data keeps the credentials of objects that stay in folders of drivePaths", async () => {
        const folder = join(checkout.path, ".local", "drive");
        mkdirSync(folder);
        shell(`npm run pulumi -- config set --path 'drivePaths[0][0]' ${folder}`);
        shell("npm run up");
        const key = shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim();
        const output = shell("npm run down -- --delete-data --yes");
        expect(output).toContain(`Kept on disk:\n    ${volume} (${folder})`);
        expect((await host.namesOf(clusterName)).sort()).toEqual([volume, secrets]);
        shell("npm run up");
        expect(shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim()).toBe(key);
        shell("npm run down -- --delete-data --delete-credentials --yes");
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 240_000);

    test("an unknown option is refused with the list of known ones", () => {
        expect(checkout.shellFailing("npm run up -- --store ceph")).toContain(
            "argument 'ceph' is invalid. Allowed choices are rustfs, minio.",
        );
    });
});
