import {
    CreateBucketCommand,
    GetObjectCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { readFileSync, writeFileSync } from "node:fs";
import type { Agent } from "node:https";
import { join } from "node:path";
import { Checkout } from "../harness/checkout";
import { agentFor, s3ClientFor } from "../harness/clients";
import { ClientContainer } from "../harness/clientContainer";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { addConfigLines, configLinesOf } from "../harness/documentConfig";
import { commandsOf } from "../harness/documentCommands";
import { IdentityProvider } from "../harness/identityProvider";
import { ScriptedBrowser } from "../harness/scriptedBrowser";
import { idToken, type SignIn, type TemporaryKeys } from "../harness/signIn";
import type { Store } from "../harness/stores";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";

const DOCUMENT = "docs/how-to/sign-in.md";
const CONSOLE_CALLBACK = "/rustfs/admin/v3/oidc/callback/default";

/** What differs between the stores. */
export interface OpenIdConnectStore extends Store {
    nodeCount: number;
}

/**
 * The commands of docs/how-to/sign-in.md, with a certified provider.
 *
 * @param signInToConsole A sign-in to the console, if the store has one.
 */
export function openIdConnectSuite(
    storeOf: () => OpenIdConnectStore,
    signInToConsole?: (attempt: SignIn) => Promise<TemporaryKeys>,
): void {
    const host = new DockerHost();
    let store: OpenIdConnectStore;
    let checkout: Checkout;
    let provider: IdentityProvider;
    let outputs: DeploymentOutputs;
    let connections: Agent;
    let root: S3Client;

    beforeAll(async () => {
        store = storeOf();
        const nodeCount = String(store.nodeCount);
        checkout = await Checkout.make({ ...store.config, nodeCount, clientImage: BUILT_IMAGES.mc.reference });
        const stackFile = join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
        const [, port] = /httpsPort: "?(\d+)/.exec(readFileSync(stackFile, "utf8")) ?? [];
        const urls = [`https://console.localhost:${port}${CONSOLE_CALLBACK}`, `https://s3.localhost:${port}/signed-in`];
        provider = await IdentityProvider.start(urls, "photos-reader", {
            writer: "photos-writer",
            stranger: "no-such-policy",
        });
        writeFileSync(join(checkout.path, "provider-ca.pem"), provider.caCertificate);
        addConfigLines(stackFile, configLinesOf(heading(), DOCUMENT, { "https://login.example.com": provider.issuer }));
        checkout.shell(`npm run pulumi -- stack select --create ${checkout.stack}`);
        const variables = { stack: checkout.stack, clientSecret: provider.clientSecret };
        await checkout.runBeside(commandsOf(heading(), DOCUMENT), variables).done();
        outputs = checkout.outputs();
        connections = agentFor({ ...outputs, caCertificate: outputs.caCertificate + provider.caCertificate });
        root = s3ClientFor(outputs);
        await root.send(new CreateBucketCommand({ Bucket: "payroll" }));
        await root.send(new PutObjectCommand({ Bucket: "payroll", Key: "secret", Body: "secret" }));
        await root.send(new PutObjectCommand({ Bucket: "photos", Key: "one", Body: "a photo" }));
    }, 400_000);

    afterAll(async () => {
        root.destroy();
        await checkout.remove();
        await provider.stop();
    }, 180_000);

    const heading = () => `OpenID Connect on ${store.name}`;

    const attemptOf = (account: string): SignIn => ({
        browser: new ScriptedBrowser(connections, `${store.config["profile"]}_console`),
        account,
        provider,
        outputs,
    });

    const tokenOf = (account: string) => idToken(attemptOf(account), `${outputs.s3Endpoint}/signed-in`);

    /** What temporary keys may do, of a few operations. */
    const allowedTo = async (keys: TemporaryKeys): Promise<string[]> => {
        const client = s3ClientFor(outputs, keys);
        const attempts = {
            list: () => client.send(new ListObjectsV2Command({ Bucket: "photos" })),
            read: () => client.send(new GetObjectCommand({ Bucket: "photos", Key: "one" })),
            write: () => client.send(new PutObjectCommand({ Bucket: "photos", Key: "two", Body: "another" })),
            "read elsewhere": () => client.send(new GetObjectCommand({ Bucket: "payroll", Key: "secret" })),
            "write elsewhere": () => client.send(new PutObjectCommand({ Bucket: "payroll", Key: "x", Body: "x" })),
        };
        const allowed: string[] = [];
        for (const [name, attempt] of Object.entries(attempts)) {
            try {
                await attempt();
                allowed.push(name);
            } catch (error) {
                expect(String(error)).toMatch(/denied/i);
            }
        }
        client.destroy();
        return allowed;
    };

    if (signInToConsole !== undefined) {
        test("users who sign in to the console get what the claim's policy allows, on every node", async () => {
            const met = new Set<string>();
            for (let round = 0; round < 3 * store.nodeCount; round++) {
                const attempt = attemptOf(round % 2 === 0 ? "reader" : "writer");
                const allowed = await allowedTo(await signInToConsole(attempt));
                expect(allowed).toEqual(["list", "read", ...(round % 2 === 0 ? [] : ["write"])]);
                expect(attempt.browser.watched).toHaveLength(1);
                attempt.browser.watched.forEach((node) => met.add(node));
            }
            expect([...met].sort()).toEqual(outputs.nodeNames.map((_, index) => `node${index + 1}`));
        }, 300_000);

        test("a user whose policy the store doesn't have can't sign in", async () => {
            await expect(signInToConsole(attemptOf("stranger"))).rejects.toThrow(/answers 400.*policy mapping/s);
        }, 60_000);
    }

    describe("the AWS CLI with a token", () => {
        let container: ClientContainer;

        beforeAll(async () => {
            container = await ClientContainer.start({ clusterName: checkout.clusterName }, outputs);
        }, 60_000);

        afterAll(() => container.remove(), 60_000);

        /** The document's commands, in a shell without keys. Returns output and exit code. */
        const run = async (account: string, more = "") => {
            const commands = commandsOf("Keys for programs", DOCUMENT).replace(
                "https://s3.example.com",
                outputs.s3Endpoint,
            );
            const token = await tokenOf(account);
            // The CLI keeps the keys that it got in its home folder, whatever the file has by then.
            const script = `unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; export HOME=$(mktemp -d); mkdir -p /work; cd /work
                cat "$AWS_CA_BUNDLE" > ca.pem; printf %s '${token}' > token
                { ${commands} ${more}\n } 2>&1 || echo "exit code $?"`;
            return container.shell(script);
        };

        test("reads what its claim's policy allows, and nothing else", async () => {
            expect(await run("reader")).toMatch(/ one\n/);
            expect(await run("reader", "aws s3 ls s3://payroll")).toMatch(/AccessDenied[^]*exit code/);
            expect(await run("reader", "aws s3 cp token s3://photos/three")).toMatch(/AccessDenied[^]*exit code/);
            expect(await run("writer", "aws s3 cp token s3://photos/three")).toMatch(/upload: /);
            expect(await run("stranger")).toMatch(/exit code/);
        }, 120_000);

        test("is refused with a token that isn't the provider's, or was changed", async () => {
            const [header = "", payload = "", signature = ""] = (await tokenOf("reader")).split(".");
            const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
            const forged = Buffer.from(JSON.stringify({ ...claims, policy: "photos-writer" })).toString("base64url");
            const tampered = [header, forged, signature].join(".");
            const again = "export HOME=$(mktemp -d); aws s3 ls s3://photos";
            expect(await run("reader", again)).not.toMatch(/exit code/);
            expect(await run("reader", `printf %s '${tampered}' > token; ${again}`)).toMatch(
                /AssumeRoleWithWebIdentity[^]*exit code/,
            );
        }, 60_000);
    });

    test("the client's secret is not in plain state, in the stack file, or in the description of a container", async () => {
        const exported = checkout.shell(`npm run --silent pulumi -- stack export --stack ${checkout.stack}`);
        const stackFile = readFileSync(join(checkout.path, `Pulumi.${checkout.stack}.yaml`), "utf8");
        const containers = await Promise.all(outputs.nodeNames.map((name) => host.inspect(name)));
        for (const text of [exported, stackFile, JSON.stringify(containers)]) {
            expect(text.includes(provider.clientSecret)).toBe(false);
        }
        expect(await host.environmentOf(outputs.nodeNames[0] ?? "")).toContain(provider.clientSecret);
    }, 60_000);
}
