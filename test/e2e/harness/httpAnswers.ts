import type { ClientRequest } from "node:http";
import { waitUntil } from "./wait";

/** Sends a request, and reads its response. */
export function answerOf(asked: ClientRequest, content?: string): Promise<{ status?: number; body: string }> {
    return new Promise((resolve, reject) => {
        asked
            .on("response", (response) => {
                let body = "";
                response.setEncoding("utf8").on("data", (part: string) => (body += part));
                response.on("end", () => resolve({ status: response.statusCode, body })).on("error", reject);
            })
            .on("error", reject)
            .end(content);
    });
}

/** Waits until a server that was just started answers. */
export async function untilAnswered(what: string, ask: () => Promise<unknown>): Promise<void> {
    let trouble: unknown;
    await waitUntil(`${what} answers`, () =>
        ask().then(
            () => true,
            (error: unknown) => ((trouble = error), false),
        ),
    ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${String(trouble)}`, { cause: trouble });
    });
}
