import type { CommandResult } from "../docker/model";
import { script, withParameters } from "../docker/script";
import { CURRENT, OF_VERSION, SECRETS_PATH } from "../naming/containerFiles";
import type { ServiceProfile } from "../store/serviceProfile";
import { S3_PORT } from "../store/topology";

/** Runs a command in a node's container, with a time limit in seconds. */
export type RunInNode = (command: string[], seconds: number) => Promise<CommandResult>;

/** Number of requests that one command sends. */
export const AT_ONCE = 24;

/** Time limit of one command in seconds: each of its requests may take a minute. */
const REQUEST_SECONDS = AT_ONCE * 60 + 60;

/** A response to a request for a path. */
export interface Answer {
    path: string;
    status: number;
    body: string;
}

/**
 * Requests to a store through a node's container, signed with the root keys. The store's own image has the client: curl, which
 * signs.
 */
export class NodeRequests {
    constructor(
        private readonly run: RunInNode,
        private readonly profile: Pick<ServiceProfile, "name" | "variables">,
    ) {}

    /**
     * The answers to requests, in their order. A request without an answer, or with one that broke off, has the status 0.
     *
     * @param paths Paths with their queries.
     * @throws {Error} with the output of the command, if that fails.
     */
    get(paths: readonly string[]): Promise<Answer[]> {
        return this.answers(paths, "GET");
    }

    /** As {@link get}, by POST without content. */
    post(paths: readonly string[]): Promise<Answer[]> {
        return this.answers(paths, "POST");
    }

    private async answers(paths: readonly string[], method: "GET" | "POST"): Promise<Answer[]> {
        const answers: Answer[] = [];
        for (const some of chunks(paths)) {
            const { output } = await this.command(some, "", { method, body: "" });
            const found = answersIn(some, output);
            if (found.length !== some.length) {
                throw this.failure(output);
            }
            answers.push(...found);
        }
        return answers;
    }

    /**
     * The answer to a request that changes something.
     *
     * @param body Its content; no secret. Default: none.
     * @throws {Error} with the output of the command, if that fails.
     */
    async send(method: "PUT" | "DELETE", path: string, body = ""): Promise<Answer> {
        const { output } = await this.command([path], "", { method, body });
        const [answer] = answersIn([path], output);
        if (answer === undefined) {
            throw this.failure(output);
        }
        return answer;
    }

    /**
     * A line with status, ETag, length, range and SHA-256 of each object, in their order.
     *
     * @param paths Paths without queries.
     * @param bytes Number of bytes of each object that are read.
     * @throws {Error} with the output of the command, if that fails.
     */
    async digests(paths: readonly string[], bytes: number): Promise<string[]> {
        const all: string[] = [];
        for (const some of chunks(paths)) {
            const { code, output } = await this.command(some, bytes);
            const lines = output.split("\n").filter((line) => line !== "");
            if (code !== 0 || lines.length !== some.length) {
                throw this.failure(output);
            }
            all.push(...lines);
        }
        return all;
    }

    private failure(output: string): Error {
        return new Error(`${this.profile.name} doesn't answer: ${output.trim().slice(-300)}`);
    }

    private command(
        paths: string[],
        digestBytes: number | "",
        { method, body } = { method: "GET", body: "" },
    ): Promise<CommandResult> {
        const { accessKey, secretKey } = this.profile.variables;
        const text = withParameters(
            {
                _FOLDER: SECRETS_PATH,
                _OF_VERSION: OF_VERSION,
                _CURRENT: CURRENT,
                _ACCESS_KEY: accessKey,
                _SECRET_KEY: secretKey,
                _URL: `http://127.0.0.1:${S3_PORT}`,
                _METHOD: method,
                _BODY: body,
                _DIGEST_BYTES: digestBytes,
            },
            script(__dirname, "askStore.sh"),
        );
        return this.run(["/bin/sh", "-c", text, "ask", ...paths], REQUEST_SECONDS);
    }
}

/** The answers in the output of a command, in the order of the requests. */
export function answersIn(paths: readonly string[], output: string): Answer[] {
    const parts = output.split(/\n=== (\d{3}) (\d+)\n/);
    return paths.flatMap((path, index) => {
        const [body, status, exitCode] = parts.slice(3 * index, 3 * index + 3);
        return body === undefined || status === undefined
            ? []
            : [{ path, body, status: exitCode === "0" ? Number(status) : 0 }];
    });
}

/** Items in groups, of as many as one command sends requests for. */
export function chunks<Item>(items: readonly Item[]): Item[][] {
    return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, index) =>
        items.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    );
}

/** What a store did with a request that failed, for a message. */
export function failedAnswer({ path, status }: Answer): string {
    return status === 0 ? `gave no complete answer to GET ${path}` : `answers GET ${path} with ${status}`;
}

/** Whether a status says that the store couldn't answer: 500 or more, or 0 for no answer. */
export function isFailure(status: number): boolean {
    return status === 0 || status >= 500;
}

/** The texts of all elements of that name in an XML document. */
export function fieldsOf(xml: string, name: string): string[] {
    return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
        text
            .replace(/&(?:quot|#34);/g, '"')
            .replace(/&lt;/g, "<")
            .replace(/&gt;/g, ">")
            .replace(/&(?:apos|#39);/g, "'")
            .replace(/&amp;/g, "&"),
    );
}
