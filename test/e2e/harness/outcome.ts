import type { WireRequest } from "./signedRequest";
import type { SignedTraffic } from "./signedTraffic";
import type { Answer, Route } from "./wire";

/** A response without the parts that differ from one response to the next. */
export interface Outcome {
    status: number;
    /** Code of an S3 error. */
    code?: string;
    headers: Answer["headers"];
    /** Each character is one byte. Empty for errors: an error's body names the request. */
    body?: string;
    continued: boolean;
}

/** Headers of one response or of one connection, and what the proxy decides in place of the store. */
const PASSING_HEADERS = [
    ...["date", "last-modified", "x-amz-request-id", "x-request-id", "x-ratelimit-remaining"],
    ...["connection", "keep-alive", "transfer-encoding", "strict-transport-security"],
];

/** Sends requests one after the other, and returns their outcomes. */
export async function outcomesOf(route: Route, requests: WireRequest[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const request of requests) {
        outcomes.push(outcomeOf(await route(request)));
    }
    return outcomes;
}

/**
 * Sends the same signed requests past the proxy, then through it over each protocol, and returns the outcomes. Fails if
 * the proxy changes an outcome.
 */
export async function sameOutcomesOf(traffic: SignedTraffic, ...requests: WireRequest[]): Promise<Outcome[]> {
    const direct = await outcomesOf(traffic.direct, requests);
    for (const [protocol, route] of Object.entries(traffic.proxied)) {
        expect({ protocol, outcomes: await outcomesOf(route, requests) }).toEqual({ protocol, outcomes: direct });
    }
    return direct;
}

function outcomeOf({ status, headers, body, continued }: Answer): Outcome {
    // RFC 9110, section 8.6: a 204 has no such header. If a store sends one, the proxy removes it.
    const passing = status === 204 ? [...PASSING_HEADERS, "content-length"] : PASSING_HEADERS;
    const kept = Object.entries(headers).filter(([name]) => !passing.includes(name));
    const text = body.toString("latin1");
    return {
        status,
        headers: Object.fromEntries(kept),
        continued,
        ...(status < 400 ? { body: text } : { code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] }),
    };
}
