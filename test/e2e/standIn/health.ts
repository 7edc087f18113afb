import { setTimeout as sleep } from "node:timers/promises";
import { answerText, type Route } from "./exchange";
import type { ListenerName } from "./observations";
import type { Recorder } from "./recorder";

/** What a health endpoint answers, until a test says otherwise. */
export interface Health {
    status: number;
    /** Seconds before the answer. */
    hangSeconds: number;
}

export const HEALTH_PATHS: { [Name in ListenerName]: string } = {
    s3: "/health/ready",
    console: "/service/console/health",
};

/** Both health endpoints (service contract, section 4), each on its own listener. */
export class HealthEndpoints {
    readonly health: { [Name in ListenerName]: Health } = {
        s3: { status: 200, hangSeconds: 0 },
        console: { status: 200, hangSeconds: 0 },
    };

    constructor(private readonly recorder: Recorder) {}

    route(listener: ListenerName): Route {
        return async (exchange) => {
            const { request, target } = exchange;
            if (target.path !== HEALTH_PATHS[listener] || !["GET", "HEAD"].includes(request.method ?? "")) {
                return false;
            }
            this.recorder.check(listener, request);
            const { status, hangSeconds } = this.health[listener];
            await sleep(hangSeconds * 1000);
            answerText(exchange, "health", status === 200 ? "ready" : "not ready", status);
            return true;
        };
    }
}
