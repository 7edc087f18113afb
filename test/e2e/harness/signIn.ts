import type { ScriptedBrowser, Page } from "./scriptedBrowser";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import type { IdentityProvider } from "./identityProvider";

/** A store whose users sign in at an identity provider. */
export interface SignInStore {
    name: string;
    /** Stack config that deploys it as a cluster. */
    config: DeploymentConfig;
    /** Path of the console that the provider sends a browser back to. */
    callbackPath: string;
    /** Policy of the store that signed-in users get. */
    policy: string;
    /** Stack config by which the store knows the provider, and trusts it. */
    configFor: (provider: IdentityProvider) => DeploymentConfig;
    /** One whole sign-in, up to an answer to a question that only a signed-in user may ask. Fails with what was said. */
    signIn: (signIn: SignIn) => Promise<void>;
    /** What a node says to a sign-in that another node started. None where any node can end what another began. */
    saysToStrangers?: RegExp;
}

/** One user on the way into a store. */
export interface SignIn {
    browser: ScriptedBrowser;
    account: string;
    provider: IdentityProvider;
    outputs: DeploymentOutputs;
}

/** Opens a URL that leads to the provider, signs in there, and gives the page that this leads to. */
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

/** A page as the reason why a sign-in failed. */
export function refusal({ url, status, body }: Page): Error {
    return new Error(`${url.replace(/[?#].*/, "")} answers ${status}: ${body}`);
}
