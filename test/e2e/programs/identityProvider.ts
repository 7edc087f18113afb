import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** Settings of an identity provider, set by the process that starts it. */
export interface IdentityProviderSettings {
    /** Address of this host on which it listens. */
    address: string;
    /** Its certificate with the private key, in PEM. */
    certificate: string;
    key: string;
    /** Its only client. */
    clientId: string;
    clientSecret: string;
    redirectUris: string[];
    /** Policies of the store for every account, in the claim `policy`. */
    policy: string;
    /** Those of some accounts that have others. */
    policyOf: { [account: string]: string };
}

/** Printed once it is ready. */
export interface IdentityProviderStarted {
    issuer: string;
}

const LONGEST_LIFE_MILLISECONDS = 30 * 60 * 1000;

/** An OpenID Connect provider that accepts every account with any password, and that keeps its state in memory only. */
function serve(settings: IdentityProviderSettings, started: (answer: IdentityProviderStarted) => void): void {
    const server = createServer({ cert: settings.certificate, key: settings.key });
    server.listen(0, settings.address, () => {
        const { port } = server.address() as AddressInfo;
        const issuer = `https://${settings.address}:${port}`;
        const provider = new Provider(issuer, {
            clients: [
                {
                    client_id: settings.clientId,
                    client_secret: settings.clientSecret,
                    redirect_uris: settings.redirectUris,
                },
            ],
            jwks: { keys: [signingKey()] },
            cookies: { keys: [randomBytes(32).toString("hex")] },
            claims: { openid: ["sub", "policy"], profile: ["preferred_username"], email: ["email"] },
            // Stores read the claims from the ID token, and don't use the user info endpoint.
            conformIdTokenClaims: false,
            findAccount: (_context, accountId) => ({
                accountId,
                claims: () => ({
                    sub: accountId,
                    policy: settings.policyOf[accountId] ?? settings.policy,
                    preferred_username: accountId,
                    email: `${accountId}@example.com`,
                }),
            }),
        });
        const handle = provider.callback();
        server.on("request", (request, response) => void handle(request, response));
        started({ issuer });
    });
}

function signingKey() {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    return { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" };
}

process.once("message", (settings: IdentityProviderSettings) => serve(settings, (answer) => process.send?.(answer)));
// It ends with the process that started it, and after a time limit.
process.once("disconnect", () => process.exit());
setTimeout(() => process.exit(1), LONGEST_LIFE_MILLISECONDS);
