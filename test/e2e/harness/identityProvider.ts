import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { makeCertificate } from "../../certificates";
import type { IdentityProviderSettings, IdentityProviderStarted } from "../programs/identityProvider";
import { DockerHost } from "./dockerHost";
import { hostGateway } from "./hostGateway";

/**
 * A real OpenID Connect provider on this host, outside of every node network. Its certificate is issued by a CA of its
 * own. Containers with egress reach it, and so do the tests.
 */
export class IdentityProvider {
    private constructor(
        private readonly program: ChildProcess,
        readonly issuer: string,
        /** The CA of its certificate, in PEM. */
        readonly caCertificate: string,
        readonly clientId: string,
        readonly clientSecret: string,
    ) {}

    /**
     * Starts a provider that accepts these redirect URIs, and that sets a policy of the store as a claim of each user.
     *
     * @param policyOf Users with another policy. Default: none.
     */
    static async start(
        redirectUris: string[],
        policy: string,
        policyOf: { [account: string]: string } = {},
    ): Promise<IdentityProvider> {
        const address = await hostGateway(new DockerHost());
        const { certificate, key, issuer: ca } = await makeCertificate([address]);
        const settings: IdentityProviderSettings = {
            address,
            certificate,
            key,
            clientId: "object-store",
            clientSecret: randomBytes(16).toString("hex"),
            redirectUris,
            policy,
            policyOf,
        };
        const program = fork(join(PROJECT, "test", "e2e", "programs", "identityProvider.ts"), {
            cwd: PROJECT,
            execArgv: ["--import", "tsx"],
            // It warns about the very features that the tests use. So its output is only shown if it fails.
            stdio: ["ignore", "ignore", "pipe", "ipc"],
        });
        let printed = "";
        program.stderr?.setEncoding("utf8").on("data", (part: string) => (printed += part));
        program.send(settings);
        const ended = once(program, "close").then(([code]) => {
            throw new Error(`the identity provider ended with ${String(code)} before it could be asked: ${printed}`);
        });
        const [started] = (await Promise.race([once(program, "message"), ended])) as [IdentityProviderStarted];
        return new IdentityProvider(program, started.issuer, ca, settings.clientId, settings.clientSecret);
    }

    /** The discovery document: the provider's endpoints and keys. */
    get configurationUrl(): string {
        return `${this.issuer}/.well-known/openid-configuration`;
    }

    async stop(): Promise<void> {
        const ended = once(this.program, "exit");
        this.program.disconnect();
        await ended;
    }
}
