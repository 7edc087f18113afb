import { refusal, signInAtProvider, type SignIn, type SignInStore, type TemporaryKeys } from "./signIn";
import { RequestSigner } from "./signedRequest";
import { rustfsStore } from "./stores";

/** RustFS. A sign-in's state is in the memory of the node on which it begins. */
export function rustfsSignIn(): SignInStore {
    return {
        name: "RustFS",
        config: { ...rustfsStore().config, nodeCount: "4", drivesPerNode: "1" },
        callbackPath: "/rustfs/admin/v3/oidc/callback/default",
        policy: "readwrite",
        configFor: ({ issuer, configurationUrl, clientId, clientSecret }) => ({
            environment: JSON.stringify({
                RUSTFS_IDENTITY_OPENID_ENABLE: "on",
                RUSTFS_IDENTITY_OPENID_CONFIG_URL: configurationUrl,
                RUSTFS_IDENTITY_OPENID_CLIENT_ID: clientId,
                RUSTFS_IDENTITY_OPENID_CLAIM_NAME: "policy",
                // By default it sends no requests to private addresses; these are the exceptions.
                RUSTFS_OUTBOUND_ALLOW_ORIGINS: issuer,
            }),
            secretEnvironment: JSON.stringify({ RUSTFS_IDENTITY_OPENID_CLIENT_SECRET: clientSecret }),
        }),
        signIn,
        errorOnOtherNode: / answers 403: .*<Code>AccessDenied<\/Code>.*invalid or expired OIDC state/s,
    };
}

async function signIn(attempt: SignIn): Promise<void> {
    const { browser, outputs } = attempt;
    const credentials = await signInToConsole(attempt);
    const url = new URL("/rustfs/admin/v3/accountinfo", outputs.consoleUrl);
    const { headers } = await new RequestSigner(credentials).sign({
        method: "GET",
        host: url.host,
        path: url.pathname,
    });
    const account = await browser.get(url.href, headers);
    if (account.status !== 200) {
        throw refusal(account);
    }
}

/** A sign-in up to the console's page, which gets temporary keys in the URL's fragment. */
export async function signInToConsole(attempt: SignIn): Promise<TemporaryKeys> {
    const { outputs } = attempt;
    const page = await signInAtProvider(`${outputs.consoleUrl}/rustfs/admin/v3/oidc/authorize/default`, attempt);
    const answer = new URLSearchParams(new URL(page.url).hash.slice(1));
    const secretAccessKey = answer.get("secretKey");
    if (secretAccessKey === null) {
        throw refusal(page);
    }
    return {
        accessKeyId: answer.get("accessKey") ?? "",
        secretAccessKey,
        sessionToken: answer.get("sessionToken") ?? "",
    };
}
