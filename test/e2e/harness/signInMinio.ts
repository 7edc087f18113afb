import { expectStatus, idToken, type SignIn, type SignInStore } from "./signIn";
import { minioStore } from "./stores";

const CALLBACK_PATH = "/oauth_callback";

/**
 * MinIO. Since its release of May 2025, its console has no sign-in page for a provider's users. They send the
 * provider's ID token to `AssumeRoleWithWebIdentity` of the S3 listener, and the temporary credentials from there to
 * the console. Its sessions are encrypted with a key that all nodes share, so any node accepts them.
 */
export function minioSignIn(): SignInStore {
    return {
        name: "MinIO",
        config: { ...minioStore().config, nodeCount: "4", drivesPerNode: "1" },
        callbackPath: CALLBACK_PATH,
        policy: "readwrite",
        configFor: ({ configurationUrl, clientId, clientSecret }) => ({
            environment: JSON.stringify({
                MINIO_IDENTITY_OPENID_CONFIG_URL: configurationUrl,
                MINIO_IDENTITY_OPENID_CLIENT_ID: clientId,
                MINIO_IDENTITY_OPENID_CLAIM_NAME: "policy",
            }),
            secretEnvironment: JSON.stringify({ MINIO_IDENTITY_OPENID_CLIENT_SECRET: clientSecret }),
        }),
        signIn,
    };
}

async function signIn(attempt: SignIn): Promise<void> {
    const { browser, outputs } = attempt;
    const { consoleUrl, s3Endpoint } = outputs;
    expectStatus(200, await browser.get(`${consoleUrl}/api/v1/login`));
    const assumed = await browser.postForm(`${s3Endpoint}/`, {
        Action: "AssumeRoleWithWebIdentity",
        Version: "2011-06-15",
        WebIdentityToken: await idToken(attempt, consoleUrl + CALLBACK_PATH),
    });
    expectStatus(200, assumed);
    const element = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(assumed.body)?.[1] ?? "";
    const session = {
        accessKey: element("AccessKeyId"),
        secretKey: element("SecretAccessKey"),
        sts: element("SessionToken"),
    };
    expectStatus(204, await browser.postJson(`${consoleUrl}/api/v1/login`, session));
    expectStatus(200, await browser.get(`${consoleUrl}/api/v1/session`));
}
