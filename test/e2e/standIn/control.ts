import { createServer, type Server } from "node:http";
import type { Health, HealthEndpoints } from "./health";
import type { Recorder } from "./recorder";

/** Address of the control listener, reachable only from inside the container. */
export const CONTROL_ADDRESS = { host: "127.0.0.1", port: 9099 };

/** The control listener for tests: it sets health, and returns and deletes recorded observations. */
export function createControl(health: HealthEndpoints, recorder: Recorder): Server {
    const actions: { [request: string]: (query: URLSearchParams) => unknown } = {
        "PUT /health/s3": (query) => (health.health.s3 = readHealth(query)),
        "PUT /health/console": (query) => (health.health.console = readHealth(query)),
        "GET /checks": () => recorder.checks(),
        "DELETE /checks": () => recorder.clearChecks(),
        "GET /record": () => recorder.record(),
        "DELETE /record": () => recorder.clearRecord(),
        "GET /requests": () => recorder.requests(),
        "DELETE /requests": () => recorder.clearRequests(),
    };
    return createServer((request, response) => {
        const url = new URL(request.url ?? "", "http://control");
        const action = actions[`${request.method} ${url.pathname}`];
        const [status, value] = action === undefined ? [404, "no such action"] : [200, action(url.searchParams)];
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(value ?? null));
    });
}

function readHealth(query: URLSearchParams): Health {
    return {
        status: Number(query.get("status") ?? 200),
        hangSeconds: Number(query.get("hang") ?? 0),
        soundWithin: query.get("within") === "sound",
    };
}
