import type Docker from "dockerode";
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import {
    dialThrough,
    eachSocket,
    pingWithin,
    shownBriefly,
    withoutDockerHost,
    type Request,
    type Requests,
} from "./dockerodeInternals";
import { engineEndpoint, type EngineEndpoint, type EngineSettings } from "./engineEndpoint";
import { engineError } from "./engineError";
import { remedy } from "./engineRemedy";
import { sshAgent } from "./sshConnection";

/** Clients by endpoint. Over ssh, one client's connections are reused. */
const clients = new Map<string, Docker>();

/** A client of an engine. It connects with its first request. */
export async function engineClient(endpoint: EngineEndpoint): Promise<Docker> {
    const key = JSON.stringify(endpoint);
    const known = clients.get(key);
    if (known !== undefined) {
        return known;
    }
    // Loaded here, since loading it takes longer than everything else in the package together.
    const { default: Dockerode } = await import("dockerode");
    const client = withoutDockerHost(() => new Dockerode(clientOptions(endpoint)));
    nameFailures(client.modem, endpoint.url);
    limitAnswers(client.modem, endpoint.url);
    clients.set(key, client);
    return client;
}

/** Time limit for an engine's answer to a request, in seconds. */
const REQUEST_SECONDS = 300;

/** Requests whose answer takes as long as the work: of a container, of a registry, or on a disk. The removal of a volume is another. */
const LONG_REQUESTS = /\/(wait|build|commit|events|images\/(create|load)|system\/df|[a-z]+\/prune)(\?|$)/;

/**
 * Limits the time for an engine's answers. An engine whose disk or container runtime hangs accepts requests and never answers
 * them.
 */
export function limitAnswers(requests: Requests, url: string, seconds = REQUEST_SECONDS): void {
    dialThrough(requests, (request, answered, dial) => {
        const isLong =
            request.method === "DELETE" ? /\/volumes\//.test(request.path) : LONG_REQUESTS.test(request.path);
        if (isLong || request.abortSignal !== undefined) {
            dial(request, answered);
            return;
        }
        const late = new AbortController();
        // An answer that breaks off half-way is no event of the client: this timer alone ends the wait.
        const timer = setTimeout(() => {
            late.abort();
            answered(unanswered(request, url, seconds));
        }, seconds * 1000);
        dial({ ...request, abortSignal: late.signal }, (error, answer) => {
            clearTimeout(timer);
            if (!late.signal.aborted) {
                answered(error, answer);
            }
        });
    });
}

/**
 * Makes failed requests errors that Pulumi prints by their message alone. A failed connection gets the engine and the request as
 * well; the first question to an engine has words of its own.
 */
function nameFailures(requests: Requests, url: string): void {
    dialThrough(requests, (request, answered, dial) =>
        dial(request, (error, answer) => {
            if (error !== null && !("statusCode" in error) && !request.path.startsWith("/_ping")) {
                error.message = `Docker at ${url}: ${nameOf(request)}: ${reasonOf(error)}`;
            }
            answered(error && engineError(error), answer);
        }),
    );
}

/** The reason of a failed connection. It has a code alone if several addresses of a host were tried. */
function reasonOf({ message, code }: Error & { code?: string }): string {
    return message === "" ? (code ?? "no connection") : message;
}

/** A request without its query. */
function nameOf({ method, path }: Request): string {
    return `${method} ${path.replace(/\?.*$/, "")}`;
}

function unanswered(request: Request, url: string, seconds: number): Error {
    const text =
        `Docker at ${url} has not answered within ${seconds} s: ${nameOf(request)}. The Docker daemon or the container hangs: see ` +
        "its log (journalctl -u docker), restart it if it answers nothing, then run the same command again";
    return engineError(new Error(text));
}

/** Time without traffic after which the kernel tests whether an engine's host is still reachable, in milliseconds. */
const KEEPALIVE_DELAY = 30_000;

/**
 * Makes an agent use each connection once. A kept connection may have been closed by the other side when it is reused, and
 * the request fails. TCP keepalive ends a connection whose host is gone, so that the program doesn't wait forever for a
 * response. Node.js itself sets keepalive only on kept connections.
 */
function usedOnce(agent: Agent): Agent {
    return eachSocket(agent, (socket) => socket.once("connect", () => socket.setKeepAlive(true, KEEPALIVE_DELAY)));
}

/** Sets every option that the client would otherwise take from the environment, so that it takes none from there. */
export function clientOptions(endpoint: EngineEndpoint): Docker.DockerOptions {
    const none = {
        protocol: "http" as const,
        host: undefined,
        port: undefined,
        socketPath: undefined,
        ca: undefined,
        cert: undefined,
        key: undefined,
        username: undefined,
        timeout: undefined,
        pathPrefix: undefined,
        agent: undefined,
    };
    switch (endpoint.kind) {
        case "socket":
            return { ...none, socketPath: endpoint.socketPath, agent: shownBriefly(usedOnce(new Agent())) } as object;
        case "ssh":
            return {
                ...none,
                host: "docker.invalid",
                port: 80,
                agent: shownBriefly(sshAgent(endpoint.sshArguments)),
            } as object;
        case "tcp": {
            const { host, port, tls } = endpoint;
            const secure = tls === undefined ? {} : { protocol: "https" as const, ...tls };
            const agent = shownBriefly(usedOnce(tls === undefined ? new Agent() : new TlsAgent()));
            return { ...none, host: host.includes(":") ? `[${host}]` : host, port, ...secure, agent } as object;
        }
    }
}

/**
 * Time limit for an engine's first answer, in seconds. Without one, a host that drops all packets is waited for minutes.
 * The ssh client has one of 30, and its message says more.
 */
const ANSWER_SECONDS = 35;

/**
 * A client of an engine that has answered.
 *
 * @param seconds Time limit. Default: 35.
 * @throws {Error} if the settings can't be used, or no engine answers in time; the message says what to do.
 */
export async function answeringEngine(settings: EngineSettings, seconds = ANSWER_SECONDS): Promise<Docker> {
    const endpoint = engineEndpoint(settings);
    const docker = await engineClient(endpoint);
    const signal = AbortSignal.timeout(seconds * 1000);
    try {
        await pingWithin(docker, signal);
    } catch (error) {
        const failure = signal.aborted ? noAnswer(seconds) : (error as Error);
        const message = `Docker doesn't answer at ${endpoint.url} (${reasonOf(failure)})`;
        throw new Error(`${message}: ${remedy(failure, endpoint, settings.names)}`, { cause: error });
    }
    return docker;
}

function noAnswer(seconds: number): Error {
    return Object.assign(new Error(`nothing within ${seconds} s`), { code: "ETIMEDOUT" });
}
