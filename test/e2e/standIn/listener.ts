import { createServer, type Server } from "node:http";
import { hostname } from "node:os";
import type { BindAddress } from "./configuration";
import { answerText, type Exchange, type Route } from "./exchange";
import { HEALTH_PATHS } from "./health";
import type { Log } from "./log";
import type { ListenerName } from "./observations";
import type { Recorder } from "./recorder";
import { parseTarget } from "./requestTarget";

/** A server. The first route that knows a request answers it. Time limits are off, because the proxy's limits apply. */
export function createListener(name: ListenerName, routes: Route[], recorder: Recorder, log: Log): Server {
    const server = createServer({ requireHostHeader: false, requestTimeout: 0, headersTimeout: 0 });
    server.keepAliveTimeout = 120_000;
    recorder.watch(server, name, HEALTH_PATHS[name]);
    server.on("request", (request, response) => {
        const exchange: Exchange = {
            request,
            response,
            target: parseTarget(request.url ?? ""),
            observed: recorder.request(name, request),
            node: hostname(),
        };
        log.write("debug", `${name} ${request.method} ${exchange.target.path}`);
        run(routes, exchange).catch((error: unknown) => {
            log.write("error", `${name} ${request.method} ${exchange.target.path}: ${String(error)}`);
            if (response.headersSent) {
                response.destroy();
            } else {
                answerText(exchange, "failure", String(error), 500);
            }
        });
    });
    return server;
}

async function run(routes: Route[], exchange: Exchange): Promise<void> {
    for (const route of routes) {
        if (await route(exchange)) {
            return;
        }
    }
    answerText(exchange, "none", "no such path", 404);
}

/** Starts to listen, and resolves once it does. */
export function listen(server: Server, { host, port }: BindAddress): Promise<void> {
    return new Promise((resolve, reject) => {
        server.once("error", reject).listen(port, host, resolve);
    });
}

/** Stops accepting connections, and resolves once every running request has its response. */
export function close(server: Server): Promise<void> {
    return new Promise((resolve) => {
        const closeIdle = setInterval(() => server.closeIdleConnections(), 100);
        server.close(() => {
            clearInterval(closeIdle);
            resolve();
        });
    });
}
