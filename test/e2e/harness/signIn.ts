import { randomBytes } from "node:crypto";
import type { ScriptedBrowser, Page } from "./scriptedBrowser";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import type { IdentityProvider } from "./identityProvider";

/** A store whose users sign in through an identity provider. */
export interface SignInStore {
    name: string;
    /** Stack config that deploys it as a cluster. */
    config: DeploymentConfig;
    /** Path of the console to which the provider redirects a browser. */
    callbackPath: string;
    /** Policy of the store that applies to signed-in users. */
    policy: string;
    /** Stack config that registers the provider with the store, and makes the store trust its certificate. */
    configFor: (provider: IdentityProvider) => DeploymentConfig;
    /**
     * A complete sign-in, up to the response to a request that only a signed-in user may send. Fails with the error
     * that was shown.
     */
    signIn: (signIn: SignIn) => Promise<void>;
    /** A node's error for a sign-in that another node has started. Undefined if any node can complete it. */
    errorOnOtherNode?: RegExp;
}

/** One user who signs in to a store. */
export interface SignIn {
    browser: ScriptedBrowser;
    account: string;
    provider: IdentityProvider;
    outputs: DeploymentOutputs;
}

/** Keys of a signed-in user, which expire. */
export interface TemporaryKeys {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken: string;
}

/** Opens a URL that redirects to the provider, signs in there, and returns the page after the redirect back. */
export async function signInAtProvider(url: string, { browser, account, provider }: SignIn): Promise<Page> {
    let page = await browser.get(url);
    const atProvider = () => page.url.startsWith(`${provider.issuer}/`);
    if (!atProvider()) {
        throw refusal(page);
    }
    page = await browser.submit(page, { login: account, password: "a password" });
    // A second form asks for consent.
    page = await browser.submit(page, {});
    if (atProvider()) {
        throw refusal(page);
    }
    return page;
}

/** A page as the reason of a failed sign-in. */
export function refusal({ url, status, body }: Page): Error {
    return new Error(`${url.replace(/[?#].*/, "")} answers ${status}: ${body}`);
}

/** The authorization code flow, with this process as the client. Returns the ID token. */
export async function idToken(attempt: SignIn, redirectUri: string): Promise<string> {
    const { browser, provider } = attempt;
    const state = randomBytes(16).toString("hex");
    const query = new URLSearchParams({
        client_id: provider.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid",
        state,
    });
    const page = await signInAtProvider(`${provider.issuer}/auth?${query.toString()}`, attempt);
    const answer = new URL(page.url).searchParams;
    if (answer.get("state") !== state) {
        throw refusal(page);
    }
    const tokens = await browser.postForm(`${provider.issuer}/token`, {
        grant_type: "authorization_code",
        code: answer.get("code") ?? "",
        redirect_uri: redirectUri,
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
    });
    expectStatus(200, tokens);
    return (JSON.parse(tokens.body) as { id_token: string }).id_token;
}

/** @throws {Error} with the page, if it has another status. */
export function expectStatus(status: number, page: Page): void {
    if (page.status !== status) {
        throw refusal(page);
    }
}
