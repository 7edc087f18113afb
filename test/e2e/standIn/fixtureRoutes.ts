import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { answerJson, type Route } from "./exchange";

/** Emits the names of slow responses that are released before their time, on either listener. */
const releases = new EventEmitter();

/** Routes for tests that no store has: an echo, a slow response and its release, and no response at all. */
export const fixtureRoutes: Route = async (exchange) => {
    const { request, node, target } = exchange;
    switch (target.path) {
        case "/service/echo":
            answerJson(exchange, "echo", {
                node,
                method: request.method,
                rawUrl: request.url,
                httpVersion: request.httpVersion,
                rawHeaders: request.rawHeaders,
                remoteAddress: request.socket.remoteAddress,
            });
            return true;
        case "/service/slow": {
            const query = new URLSearchParams(target.query);
            const seconds = Number(query.get("seconds") ?? 1);
            await pass(seconds, query.get("until"));
            answerJson(exchange, "slow", { node, seconds }, Number(query.get("status") ?? 200));
            return true;
        }
        case "/service/release": {
            const name = new URLSearchParams(target.query).get("name") ?? "";
            const released = releases.listenerCount(name);
            releases.emit(name);
            answerJson(exchange, "release", { node, released });
            return true;
        }
        case "/service/hang":
            exchange.observed.route = "hang";
            return true;
        default:
            return false;
    }
};

/** Resolves after the time, or once the name is released. */
async function pass(seconds: number, name: string | null): Promise<void> {
    const passed = new AbortController();
    const { signal } = passed;
    const released = name === null ? [] : [once(releases, name, { signal })];
    await Promise.race([sleep(seconds * 1000, undefined, { signal }), ...released]);
    passed.abort();
}
