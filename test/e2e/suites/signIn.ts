import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedBrowser } from "../harness/scriptedBrowser";
import { agentFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { IdentityProvider } from "../harness/identityProvider";
import type { SignInStore } from "../harness/signIn";

/** Result of one sign-in. */
interface Attempt {
    /** The console nodes that answered, in order. */
    nodes: string[];
    /** Reason of a failure. */
    failure?: string;
}

/** Number of browsers that sign in at the same time. */
const AT_A_TIME = 3;

/**
 * Users of an identity provider sign in to a cluster, each with a separate browser.
 *
 * @param count Number of users who sign in with the proxy's cookie.
 */
export function signInSuite(store: () => SignInStore, count: number): void {
    const folder = mkdtempSync(join(tmpdir(), "sign-in-"));
    let deployment: Deployment;
    let provider: IdentityProvider;
    let outputs: DeploymentOutputs;
    let connections: Agent;

    beforeAll(async () => {
        const { config, configFor, callbackPath, policy } = store();
        deployment = await Deployment.create(config);
        provider = await IdentityProvider.start(
            [`https://console.localhost:${deployment.httpsPort}${callbackPath}`],
            policy,
        );
        const ca = join(folder, "ca.pem");
        writeFileSync(ca, provider.caCertificate);
        await deployment.configure({
            ...configFor(provider),
            additionalTrustedCertificates: JSON.stringify({ file: ca }),
            egress: "true",
        });
        await deployment.up();
        outputs = await deployment.outputs();
        connections = agentFor({ ...outputs, caCertificate: outputs.caCertificate + provider.caCertificate });
    }, 400_000);

    afterAll(async () => {
        await deployment.remove();
        await provider.stop();
        rmSync(folder, { recursive: true });
    }, 180_000);

    const signIn = async (account: string, keepsCookie: boolean): Promise<Attempt> => {
        const browser = new ScriptedBrowser(connections, `${store().config["profile"]}_console`, keepsCookie);
        try {
            await store().signIn({ browser, account, provider, outputs });
            return { nodes: browser.watched };
        } catch (error) {
            return { nodes: browser.watched, failure: String(error) };
        }
    };

    test("all sign-ins succeed, each on one node, on every node some", async () => {
        const attempts = await repeat(count, (number) => signIn(`with-${number}`, true));
        expect(attempts.filter(({ failure }) => failure !== undefined)).toEqual([]);
        expect(attempts.filter(({ nodes }) => nodes.length !== 1)).toEqual([]);
        const met = new Set(attempts.flatMap(({ nodes }) => nodes));
        expect([...met].sort()).toEqual(outputs.nodeNames.map((_, index) => `node${index + 1}`));
    }, 300_000);

    test("without the proxy's cookie, sign-ins fail if a node keeps their state", async () => {
        const { errorOnOtherNode } = store();
        const attempts = await repeat(40, (number) => signIn(`without-${number}`, false));
        const failed = attempts.filter(({ failure }) => failure !== undefined);
        if (errorOnOtherNode === undefined) {
            expect(failed).toEqual([]);
            return;
        }
        const strayed = attempts.filter(({ nodes: [begun, ended] }) => begun !== ended);
        expect(failed).toEqual(strayed);
        expect(failed.filter(({ failure = "" }) => !errorOnOtherNode.test(failure))).toEqual([]);
        // On average two or three of four fail: each request goes to the node with the fewest connections.
        expect(failed.length).toBeGreaterThanOrEqual(attempts.length / 4);
    }, 300_000);
}

/** Calls a function with the numbers from 1 to `count`, a few at a time. */
async function repeat<Result>(count: number, action: (number: number) => Promise<Result>): Promise<Result[]> {
    const results: Result[] = [];
    const numbers = Array.from({ length: count }, (_, index) => index + 1).values();
    const work = async () => {
        for (const number of numbers) {
            results.push(await action(number));
        }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return results;
}
