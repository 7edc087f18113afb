import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { PROJECT } from "../../../tools/paths";
import { installAwsCli } from "../harness/awsProgram";
import { Checkout } from "../harness/checkout";
import { DockerHost } from "../harness/dockerHost";
import { commandBlocks } from "../harness/documentCommands";
import { configLinesOf } from "../harness/documentConfig";
import { Pebble } from "../harness/pebble";
import { stackDefaults } from "../harness/stackDefaults";
import { CLIENT_IMAGE } from "../harness/storeContents";
import type { Store } from "../harness/stores";
import { furtherImage } from "../harness/testRun";

const PAGE = "docs/start/one-host.md";
const [S3_HOST, CONSOLE_HOST] = ["s3.example.com", "console.example.com"];
const MINUTE = 60_000;

/** How the page writes the release's store, disk, folder and stack. */
const WRITTEN = { profile: "profile: rustfs", disk: "/mnt/store", folder: "/srv/object-store", stack: "--stack prod" };

/**
 * The commands and the stack file of docs/start/one-host.md, in the order of the README: its store is tried first, on
 * the same ports. Only the names of folder, disk, stack and store are others, and the CA is one without internet.
 *
 * @param readyPath Path that the page names for an uptime monitor.
 */
export function oneHostSuite(store: () => Store, readyPath: string): void {
    const host = new DockerHost();
    let pebble: Pebble;
    let checkout: Checkout;
    /** `PATH` with the AWS CLI. */
    let aws: string;
    /** File with the CA that has issued the certificate. */
    let trusted: string;
    /** The application's key, as the two lines that the page asks to type. */
    let typed: string;

    beforeAll(async () => {
        pebble = await Pebble.start([S3_HOST, CONSOLE_HOST]);
        checkout = await Checkout.make(onPorts());
        await writeStackFile();
        checkout.up();
    }, 6 * MINUTE);

    afterAll(async () => {
        await checkout.remove();
        await pebble.remove();
    }, 3 * MINUTE);

    const onPorts = () => ({ publishAddress: pebble.address, httpPort: "80", httpsPort: "443" });
    const stack = () => `${checkout.stack}-prod`;
    const onStack = (commands: string) =>
        commands.replaceAll(WRITTEN.stack, `--stack ${stack()}`).replaceAll(WRITTEN.folder, checkout.path);
    const shell = (commands: string) => checkout.shell(onStack(commands));
    /** Deploys while this process goes on: it forwards connections to the CA. */
    const update = () => checkout.runBeside(onStack(deploy)).done();

    /** The page's stack file, with what a machine without internet needs. */
    const writeStackFile = async () => {
        const { config } = parse(
            configLinesOf("Steps", PAGE, {
                [WRITTEN.profile]: `profile: ${store().config["profile"]}`,
                [WRITTEN.disk]: join(checkout.path, ".local", "disk"),
            }),
        ) as { config: { [key: string]: { acme: object } } };
        mkdirSync(join(checkout.path, ".local", "disk"), { recursive: true });
        const { haproxyImage } = await stackDefaults(stack());
        const certificate = {
            acme: {
                ...config["object-store:certificate"]?.acme,
                directoryUrl: pebble.directoryUrl,
                trustedCertificates: { file: pebble.trustedCertificatesFile },
                nameServers: [pebble.address],
                image: furtherImage("lego"),
            },
        };
        const images = { image: store().config["image"], haproxyImage, clientImage: CLIENT_IMAGE };
        const added = { storeName: stack(), ...images, ...onPorts(), certificate };
        const entries = Object.entries(added).map(([key, value]) => [`object-store:${key}`, value]);
        writeFileSync(
            join(checkout.path, `Pulumi.${stack()}.yaml`),
            stringify({ config: { ...config, ...(Object.fromEntries(entries) as object) } }),
        );
    };

    const page = readFileSync(join(PROJECT, PAGE), "utf8");
    const [removeTried = "", deploy = "", readKey = ""] = commandBlocks("Steps", PAGE);
    const [, path = "", line = ""] = /^```\n(PATH=.*)\n(.*)\n```$/m.exec(page) ?? [];
    const [status = "", typeKey = "", useStore = ""] = commandBlocks("Check", PAGE);
    const [remove = ""] = commandBlocks("Undo", PAGE);

    /** The page's commands on another machine, which trusts the CA: the application's key is typed, then used. */
    const useAsApplication = () =>
        checkout.shell(`{\n${typeKey}} <<< "$typed"\n${useStore}`, { typed, PATH: aws, AWS_CA_BUNDLE: trusted });

    test(
        "the tried store has the ports, and gives way to the real one",
        async () => {
            expect(checkout.shellFailing(onStack(deploy))).toContain(`npm run down -- --stack ${checkout.stack}`);
            shell(removeTried.replace("--stack dev", `--stack ${checkout.stack}`));
            expect(await update()).toContain(`S3 API:  https://${S3_HOST}`);
            expect(shell(status)).toMatch(/^Healthy$/m);
        },
        8 * MINUTE,
    );

    test(
        "the application's key reads and writes its bucket, from another machine, with a certificate of the CA",
        async () => {
            const { app } = JSON.parse(shell(readKey)) as {
                app: { accessKey: string; secretKey: string };
            };
            typed = `${app.accessKey}\n${app.secretKey}`;
            trusted = join(checkout.path, ".local", "public-ca.pem");
            writeFileSync(trusted, await pebble.rootCertificate());
            aws = installAwsCli(join(checkout.path, ".local", "bin"), S3_HOST, pebble.address);
            expect(useAsApplication()).toMatch(/ hostname$/m);
        },
        2 * MINUTE,
    );

    test("an uptime monitor gets 200 without credentials", () => {
        const [url = ""] = [...page.matchAll(/`(https:[^`]*)`/g)].flatMap(([, one]) =>
            one?.endsWith(readyPath) ? [one] : [],
        );
        const options = `--cacert ${trusted} --resolve ${S3_HOST}:443:${pebble.address}`;
        expect(checkout.shell(`curl --silent --output /dev/null --write-out '%{http_code}' ${options} ${url}`)).toBe(
            "200",
        );
    });

    test(
        "cron's line prints nothing while the store is healthy, and the problem when a node has stopped",
        async () => {
            const command = onStack(line.replace("*/5 * * * * ", ""));
            const asCron = () => checkout.shell(`export ${path}\n/bin/sh -c "$command"`, { command });
            expect(asCron()).toBe("");
            const node = host.docker.getContainer(`${stack()}-pool1-node1`);
            await node.stop();
            expect(asCron()).toContain(`${stack()}-pool1-node1`);
            await node.start();
        },
        3 * MINUTE,
    );

    test(
        "Undo keeps data, credentials and certificate, and the next update brings all of it back",
        async () => {
            const issued = await pebble.issued();
            shell(remove);
            expect(await host.namesOf(`${stack()}-proxy`)).toEqual([]);
            await update();
            expect(useAsApplication()).toMatch(/ hostname$/m);
            expect(await pebble.issued()).toEqual(issued);
        },
        6 * MINUTE,
    );
}
