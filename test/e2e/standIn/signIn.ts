import {
    authorizationCodeGrant,
    buildAuthorizationUrl,
    calculatePKCECodeChallenge,
    ClientSecretBasic,
    discovery,
    randomNonce,
    randomPKCECodeVerifier,
    randomState,
    type Configuration,
} from "openid-client";
import type { IdentityProvider } from "./configuration";
import { answer, answerJson, answerText, type Exchange, type Route } from "./exchange";

/** Values that the redirect back of a sign-in has to contain. */
interface SignInProgress {
    codeVerifier: string;
    nonce: string;
}

const MAXIMUM_IN_PROGRESS = 1000;
const CALLBACK_PATH = "/service/console/oidc/callback";

/**
 * Sign-in by OpenID Connect: authorization code with PKCE. Only this node knows a sign-in in progress, in memory
 * (service contract, section 4, rule 11).
 */
export function signInRoutes(provider: IdentityProvider | undefined): Route {
    const inProgress = new Map<string, SignInProgress>();
    return async (exchange) => {
        const { path } = exchange.target;
        if (path !== "/service/console/oidc/start" && path !== CALLBACK_PATH) {
            return false;
        }
        if (provider === undefined) {
            answerText(exchange, "sign-in", "no identity provider is configured", 404);
            return true;
        }
        try {
            await (path === CALLBACK_PATH ? finish : start)(exchange, provider, inProgress);
        } catch (error) {
            answerText(exchange, "sign-in", `the identity provider failed: ${describe(error)}`, 502);
        }
        return true;
    };
}

async function start(
    exchange: Exchange,
    provider: IdentityProvider,
    inProgress: Map<string, SignInProgress>,
): Promise<void> {
    const configuration = await discover(provider);
    const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    inProgress.set(state, { codeVerifier, nonce });
    const [oldest] = inProgress.keys();
    if (inProgress.size > MAXIMUM_IN_PROGRESS && oldest !== undefined) {
        inProgress.delete(oldest);
    }
    const location = buildAuthorizationUrl(configuration, {
        redirect_uri: provider.consoleUrl + CALLBACK_PATH,
        scope: "openid",
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        state,
        nonce,
    });
    answer(exchange, "sign-in", { status: 302, headers: { location: location.href, "cache-control": "no-store" } });
}

async function finish(
    exchange: Exchange,
    provider: IdentityProvider,
    inProgress: Map<string, SignInProgress>,
): Promise<void> {
    const url = new URL(`${provider.consoleUrl}${exchange.target.path}?${exchange.target.query}`);
    const state = url.searchParams.get("state") ?? "";
    const progress = inProgress.get(state);
    if (progress === undefined) {
        answerText(exchange, "sign-in", `no sign-in in progress on this node, ${exchange.node}`, 400);
        return;
    }
    inProgress.delete(state);
    const tokens = await authorizationCodeGrant(await discover(provider), url, {
        pkceCodeVerifier: progress.codeVerifier,
        expectedNonce: progress.nonce,
        expectedState: state,
        idTokenExpected: true,
    });
    answerJson(exchange, "sign-in", { user: tokens.claims()?.sub, node: exchange.node });
}

function discover({ configurationUrl, clientId, clientSecret }: IdentityProvider): Promise<Configuration> {
    return discovery(configurationUrl, clientId, undefined, ClientSecretBasic(clientSecret));
}

/** An error with its causes: the cause of a failed request is behind "fetch failed". */
function describe(error: unknown): string {
    return error instanceof Error
        ? [error.message, ...(error.cause === undefined ? [] : [describe(error.cause)])].join(": ")
        : JSON.stringify(error);
}
