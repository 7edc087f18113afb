import { refusal, signInAtProvider, type SignIn, type SignInStore } from "./signIn";
import { standInStore } from "./stores";

/** The contract stand-in. A sign-in's state is in the memory of the node on which it begins. */
export function standInSignIn(): SignInStore {
    return {
        name: "the stand-in",
        config: { ...standInStore().config, nodeCount: "3", drivesPerNode: "1" },
        callbackPath: "/service/console/oidc/callback",
        policy: "readwrite",
        configFor: ({ configurationUrl, clientId, clientSecret }) => ({
            environment: JSON.stringify({
                SERVICE_IDENTITY_OPENID_CONFIG_URL: configurationUrl,
                SERVICE_IDENTITY_OPENID_CLIENT_ID: clientId,
            }),
            secretEnvironment: JSON.stringify({ SERVICE_IDENTITY_OPENID_CLIENT_SECRET: clientSecret }),
        }),
        signIn,
        errorOnOtherNode: / answers 400: no sign-in in progress on this node/,
    };
}

async function signIn(attempt: SignIn): Promise<void> {
    const { account, outputs } = attempt;
    const page = await signInAtProvider(`${outputs.consoleUrl}/service/console/oidc/start`, attempt);
    if (page.status !== 200 || (JSON.parse(page.body) as { user?: string }).user !== account) {
        throw refusal(page);
    }
}
