import { setTimeout as sleep } from "node:timers/promises";
import { answerText, type Route } from "./exchange";
import type { ListenerName } from "./observations";
import type { Recorder } from "./recorder";

/** The response of a health endpoint, until a test changes it. */
export interface Health {
    status: number;
    /** Seconds before the response. */
    hangSeconds: number;
    /** Whether the container's own health check, from 127.0.0.1, still gets 200 at once. */
    soundWithin?: boolean;
}

const SOUND: Health = { status: 200, hangSeconds: 0 };

export const HEALTH_PATHS: { [Name in ListenerName]: string } = {
    s3: "/health/ready",
    console: "/service/console/health",
};

/** Liveness of the process, whatever its health, on the S3 listener. */
export const LIVE_PATH = "/health/live";

/** The first one is RustFS's path. */
const LIVE_PATHS = ["/health", LIVE_PATH];

/** Both health endpoints (service contract, section 4), each on its own listener. */
export class HealthEndpoints {
    readonly health: { [Name in ListenerName]: Health } = {
        s3: SOUND,
        console: SOUND,
    };

    constructor(
        private readonly recorder: Recorder,
        /** Returns whether most of the cluster answers. The S3 listener's readiness waits for it. */
        private readonly hasQuorum: () => Promise<boolean>,
    ) {}

    route(listener: ListenerName): Route {
        return async (exchange) => {
            const { request, target } = exchange;
            if (!["GET", "HEAD"].includes(request.method ?? "")) {
                return false;
            }
            if (listener === "s3" && LIVE_PATHS.includes(target.path)) {
                answerText(exchange, "health", "live");
                return true;
            }
            if (target.path !== HEALTH_PATHS[listener]) {
                return false;
            }
            const isOwn = request.socket.remoteAddress?.endsWith("127.0.0.1") === true;
            const health = this.health[listener];
            const { status, hangSeconds } = isOwn && health.soundWithin === true ? SOUND : health;
            this.recorder.check(listener, request, status === 200 && hangSeconds === 0);
            await sleep(hangSeconds * 1000);
            const found = listener === "console" || (await this.hasQuorum()) ? status : 503;
            answerText(exchange, "health", found === 200 ? "ready" : "not ready", found);
            return true;
        };
    }
}
