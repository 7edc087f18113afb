import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Checkout } from "./harness/checkout";
import { DockerHost } from "./harness/dockerHost";

describe("npm run up and down where there is data, or another stack, in a checkout of its own", () => {
    const host = new DockerHost();
    let checkout: Checkout;
    let stack: string;
    let clusterName: string;
    let volume: string;
    let secrets: string;
    let accessKey: string;

    beforeAll(async () => {
        checkout = await Checkout.make();
        ({ stack, clusterName } = checkout);
        volume = `${clusterName}-pool1-node1-drive1`;
        secrets = `${clusterName}-pool1-node1-secrets`;
        shell("git init --quiet && git add .");
        shell("git -c user.name=test -c user.email=test@example.com commit --quiet -m test");
        shell(`npm run up -- --stack ${stack}`);
        accessKey = shell("npm run --silent pulumi -- stack output accessKey --show-secrets").trim();
    }, 180_000);

    afterAll(() => checkout.remove());

    const shell = (command: string) => checkout.shell(command);
    const changedFiles = () => shell("git status --porcelain");

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

    test("npm run up refuses to deploy over data whose credentials the stack doesn't have", async () => {
        shell("npm run down");
        shell("mv .local elsewhere && echo elsewhere >> .git/info/exclude");
        const output = checkout.shellFailing(`npm run up -- --stack ${stack}`);
        expect(output).toContain(
            `the cluster ${clusterName} has data on this Docker daemon that the stack's state doesn't know`,
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
});
