import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../certificates";
import { installAwsCli } from "./harness/awsProgram";
import { Checkout } from "./harness/checkout";
import { DockerHost } from "./harness/dockerHost";
import { commandBlocks, commandsOf } from "./harness/documentCommands";
import { addConfigLines, configLinesOf } from "./harness/documentConfig";
import { minioStore } from "./harness/stores";

const MINUTE = 60_000;

/** An address of loopback on which only this test listens, so that it has the usual ports. */
const ADDRESS = "127.83.51.1";

/**
 * The everyday commands of pages that have no suite of their own, word for word, on one deployed stack. Only the names of
 * stack and containers are others.
 */
describe("everyday commands of the documents", () => {
    const host = new DockerHost();
    let checkout: Checkout;
    let path: string;

    beforeAll(async () => {
        checkout = await Checkout.make({ publishAddress: ADDRESS, httpPort: "80", httpsPort: "443" });
        checkout.up();
        path = installAwsCli(join(checkout.path, ".local", "bin"), "s3.localhost", ADDRESS);
    }, 5 * MINUTE);

    afterAll(() => checkout.remove(), 2 * MINUTE);

    const run = (commands: string | undefined, variables: { [name: string]: string } = {}) =>
        checkout.shell(
            `set -e\n${commands ?? "exit 1"}`
                .replaceAll("object-store-dev-", `${checkout.clusterName}-`)
                .replaceAll("object-store-prod", checkout.clusterName)
                .replaceAll("--stack prod", `--stack ${checkout.stack}`),
            { stack: checkout.stack, PATH: path, ...variables },
        );

    /** One block of commands, by its number below a heading. */
    const block = (page: string, heading: string, number = 1) =>
        run(commandBlocks(heading, `docs/${page}.md`)[number - 1]);

    const stackFile = () => join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
    const idOf = async (container: string) => (await host.inspect(`${checkout.clusterName}-${container}`)).Id;

    test("try it: a file is stored, and the status is healthy", () => {
        expect(block("start/try", "Steps", 2)).toContain("upload: ./README.md to s3://first-bucket/README.md");
        expect(block("start/try", "Check")).toMatch(/^Healthy$/m);
    }, 60_000);

    test("stack outputs: without secrets, one of them, and all", () => {
        const output = run(commandBlocks("Stack outputs", "docs/reference/outputs.md")[0]);
        expect(output).toMatch(/accessKey +\[secret\]/);
        expect(output).toMatch(/"secretKey": "\w+/);
    }, 60_000);

    test("clients: the AWS CLI with the page's variables sees the bucket", () => {
        block("how-to/clients", "You need");
        const { accessKey, secretKey } = checkout.outputs();
        const [type = "", settings = ""] = commandBlocks("Settings", "docs/how-to/clients.md");
        const commands = `{\n${type}} <<< "$typed"\n${settings}${commandsOf("Check", "docs/how-to/clients.md")}`;
        const onThisHost = commands.replaceAll("s3.example.com", "s3.localhost");
        expect(run(onThisHost, { typed: `${accessKey}\n${secretKey}` })).toMatch(/ first-bucket$/m);
    }, 60_000);

    test("monitor: the status of the selected stack, of a named one, and for programs", () => {
        const output = block("how-to/monitor", "Status");
        expect(output.match(/^Healthy$/gm)).toHaveLength(2);
        expect(output).toContain('"problems": []');
    }, 60_000);

    test(
        "logs: of the proxy and a node, then in JSON, and back",
        async () => {
            const [proxyLog = "", nodeLog = ""] = commandBlocks("Steps", "docs/how-to/logs.md")[0]?.split("\n") ?? [];
            expect(run(proxyLog)).toContain("first-bucket");
            run(nodeLog);
            const proxy = await idOf("proxy");
            block("how-to/logs", "Steps", 2);
            block("how-to/logs", "Undo");
            expect(await idOf("proxy")).toBe(proxy);
        },
        3 * MINUTE,
    );

    test(
        "restricted access: the console answers 403 elsewhere, and 200 afterwards",
        () => {
            addConfigLines(stackFile(), configLinesOf("Steps", "docs/how-to/restrict-access.md"));
            block("how-to/restrict-access", "HSTS");
            const [check = ""] = commandBlocks("Check", "docs/how-to/restrict-access.md");
            const hostname = check.replace("console.example.com/", "console.localhost/");
            const ask = () =>
                run(hostname.replace("curl", `curl --insecure --resolve console.localhost:443:${ADDRESS}`));
            expect(ask()).toBe("403\n");
            block("how-to/restrict-access", "Undo");
            expect(ask()).toBe("200\n");
        },
        3 * MINUTE,
    );

    test(
        "behind a proxy: the access log has the client that it names, until that is undone",
        () => {
            const page = "docs/how-to/behind-a-proxy.md";
            addConfigLines(stackFile(), configLinesOf("On the Docker host itself", page, { "127.0.0.1": ADDRESS }));
            /** The line of the access log about a request to a path, whose client's address is said by a proxy. */
            const loggedAt = (path: string) => {
                const client = `--header 'X-Forwarded-For: 203.0.113.7' https://s3.localhost/${path}`;
                run(`curl --silent --insecure --resolve s3.localhost:443:${ADDRESS} ${client}`);
                return run(commandsOf("Check", page))
                    .split("\n")
                    .find((line) => line.includes(`/${path} `));
            };
            checkout.up();
            expect(loggedAt("behind-a-proxy")).toContain("203.0.113.7");
            run(commandsOf("Undo", page));
            expect(loggedAt("undone")).toMatch(/^(?!.*203\.0\.113\.7)/);
        },
        3 * MINUTE,
    );

    test(
        "certificates: the stack's own, the user's, and the stack's own again",
        async () => {
            block("how-to/certificates", "Self-signed");
            const given = await makeCertificate(["s3.localhost", "console.localhost"]);
            writeFileSync(join(checkout.path, "certificate.pem"), given.certificate + given.issuer + given.key);
            const askTrusting = () =>
                run(
                    `curl --silent --cacert ca.pem --resolve s3.localhost:443:${ADDRESS} https://s3.localhost/ || echo refused`,
                );
            expect(askTrusting()).toContain("AccessDenied");
            block("how-to/certificates", "Your own");
            expect(askTrusting()).toBe("refused\n");
            expect(block("how-to/certificates", "Check")).toMatch(/^Healthy$/m);
            block("how-to/certificates", "Undo");
            expect(askTrusting()).toContain("AccessDenied");
        },
        4 * MINUTE,
    );

    test(
        "an upgrade: a preview, the update, its check; and a restart of all nodes",
        async () => {
            const [set = ""] = commandBlocks("The store", "docs/how-to/upgrade.md");
            run(set.replace("rustfs/rustfs:1.0.1", String(minioStore().config["image"])));
            block("how-to/upgrade", "The store", 2);
            expect(block("how-to/upgrade", "Check")).toMatch(/^Healthy$/m);
            const node = await idOf("pool1-node1");
            block("how-to/upgrade", "Restart all nodes");
            expect(await idOf("pool1-node1")).not.toBe(node);
        },
        4 * MINUTE,
    );

    test(
        "a permission is given for one update",
        () => {
            run(commandBlocks("Refused changes", "docs/troubleshooting/refused-changes.md")[0]);
            expect(readFileSync(stackFile(), "utf8")).not.toContain("allowedChanges");
            run(commandBlocks("Interrupted updates", "docs/troubleshooting/interrupted-updates.md")[0]);
        },
        2 * MINUTE,
    );

    test(
        "removal: nothing runs any more, then nothing is left",
        async () => {
            block("how-to/remove", "Steps", 1);
            expect(block("how-to/remove", "Check").trim().split("\n")).toHaveLength(1);
            expect(await host.namesOf(checkout.clusterName)).not.toEqual([]);
            run(`${commandBlocks("Steps", "docs/how-to/remove.md")[1]?.trim() ?? "exit 1"} --yes`);
            expect(await host.namesOf(checkout.clusterName)).toEqual([]);
        },
        3 * MINUTE,
    );
});
