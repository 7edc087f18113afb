import type { WireRequest } from "./signedRequest";
import type { SignedTraffic } from "./signedTraffic";
import type { Answer, Route } from "./wire";

/** What an answer says, without what differs from one answer to the next. */
export interface Outcome {
    status: number;
    /** Code of an S3 error. */
    code?: string;
    headers: Answer["headers"];
    /** Each character is one byte. Errors have none: theirs names the request. */
    body?: string;
    continued: boolean;
}

/** Headers of one answer or of one connection. */
const PASSING_HEADERS = [
    ...["date", "last-modified", "x-amz-request-id", "x-request-id", "x-ratelimit-remaining"],
    ...["connection", "keep-alive", "transfer-encoding"],
];

/** Sends requests one after the other, and gives their outcomes. */
export async function outcomesOf(route: Route, requests: WireRequest[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const request of requests) {
        outcomes.push(outcomeOf(await route(request)));
    }
    return outcomes;
}

/**
 * Sends the same signed requests past the proxy, then through it over each protocol, and gives the outcomes. Fails
 * where the proxy makes a difference.
 */
export async function sameOutcomesOf(traffic: SignedTraffic, ...requests: WireRequest[]): Promise<Outcome[]> {
    const direct = await outcomesOf(traffic.direct, requests);
    for (const [protocol, route] of Object.entries(traffic.proxied)) {
        expect({ protocol, outcomes: await outcomesOf(route, requests) }).toEqual({ protocol, outcomes: direct });
    }
    return direct;
}

function outcomeOf({ status, headers, body, continued }: Answer): Outcome {
    // RFC 9110, section 8.6: 204 has no such header. Whoever sends one loses it on the way.
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
