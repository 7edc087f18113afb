import { setTimeout as sleep } from "node:timers/promises";
import { answerJson, type Route } from "./exchange";

/** Routes for tests that no store has: an echo, a slow response, and no response at all. */
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
            const seconds = Number(new URLSearchParams(target.query).get("seconds") ?? 1);
            await sleep(seconds * 1000);
            answerJson(exchange, "slow", { node, seconds });
            return true;
        }
        case "/service/hang":
            exchange.observed.route = "hang";
            return true;
        default:
            return false;
    }
};
