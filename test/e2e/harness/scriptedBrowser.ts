import type { Agent } from "node:https";
import superagent from "superagent";

/** The last page that a browser loads: its URL after all redirects, and the response. */
export interface Page {
    url: string;
    status: number;
    body: string;
}

/** The parts of a browser that a sign-in needs: redirects, forms and its own cookies. It runs no scripts. */
export class ScriptedBrowser {
    private readonly agent = superagent.agent();

    /** Values of the watched cookie, one for each time it was set. */
    readonly watched: string[] = [];

    /**
     * @param connections How hosts are resolved, and which CA TLS trusts.
     * @param watchedCookie Name of a cookie to watch.
     * @param keepsWatched Whether the browser sends that cookie once it was set.
     */
    constructor(
        private readonly connections: Agent,
        private readonly watchedCookie: string,
        private readonly keepsWatched = true,
    ) {}

    get(url: string, headers: { [name: string]: string } = {}): Promise<Page> {
        return this.follow(this.agent.get(url).set(headers));
    }

    postJson(url: string, body: object): Promise<Page> {
        return this.follow(this.agent.post(url).send(body));
    }

    postForm(url: string, fields: { [name: string]: string }): Promise<Page> {
        return this.follow(this.agent.post(url).type("form").send(fields));
    }

    /** Submits the first form of a page, with its hidden inputs and these values. */
    submit(page: Page, values: { [name: string]: string }): Promise<Page> {
        const [, action] = /<form\b[^>]*\baction="([^"]*)"/.exec(page.body) ?? [];
        if (action === undefined) {
            throw new Error(`there is no form at ${page.url}: ${page.body}`);
        }
        const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
        const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
        return this.postForm(new URL(action, page.url).href, { ...fields, ...values });
    }

    private async follow(request: superagent.SuperAgentRequest): Promise<Page> {
        const { url } = request;
        const response = await request
            .agent(this.connections)
            .redirects(0)
            .buffer(true)
            .ok(() => true)
            .timeout(60_000);
        const headers = response.headers as { location?: string; "set-cookie"?: string[] };
        this.watch(url, headers["set-cookie"] ?? []);
        if (headers.location !== undefined && response.status >= 300 && response.status < 400) {
            return this.get(new URL(headers.location, url).href);
        }
        return { url, status: response.status, body: response.text };
    }

    private watch(url: string, setCookies: string[]): void {
        const prefix = `${this.watchedCookie}=`;
        const values = setCookies
            .filter((text) => text.startsWith(prefix))
            .map((text) => text.slice(prefix.length).replace(/;.*/, ""));
        this.watched.push(...values);
        if (values.length > 0 && !this.keepsWatched) {
            const expired = `${prefix}; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT`;
            this.agent.jar.setCookie(expired, new URL(url).hostname, "/");
        }
    }
}
