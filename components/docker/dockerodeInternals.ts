import type Docker from "dockerode";
import type { Agent } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { inspect } from "node:util";

// What is used of dockerode (5.0), the engine's client, that neither its types nor its documents promise, and of the agents of Node.js
// that it connects by. The tests of this file fail if a release changes it; `npm run test:versions` runs them with the oldest and the
// pinned one.

/** A request, as the client sends it. */
export interface Request {
    path: string;
    method: string;
    abortSignal?: AbortSignal;
}

/** Gets the answer to a request, or the reason why there is none. */
export type Answered = (error: Error | null, answer?: unknown) => void;

/** The part of the client that sends all requests: its `modem`. */
export interface Requests {
    dial(request: Request, answered: Answered): void;
}

/** Passes all requests of a client through a function, which gets the former way to send one as its last argument. */
export function dialThrough(
    requests: Requests,
    pass: (request: Request, answered: Answered, dial: Requests["dial"]) => void,
): void {
    const dial = requests.dial.bind(requests);
    requests.dial = (request, answered) => pass(request, answered, dial);
}

/** The question whether an engine answers, which a signal ends. */
export async function pingWithin(docker: Docker, abortSignal: AbortSignal): Promise<void> {
    await (docker as { ping(options: { abortSignal: AbortSignal }): Promise<unknown> }).ping({ abortSignal });
}

/** Passes each new connection of an agent through a function. */
export function eachSocket(agent: Agent, pass: (socket: Socket) => Socket): Agent {
    const connections = agent as unknown as { createConnection(...args: unknown[]): Socket };
    const connect = connections.createConnection.bind(agent);
    return connectedBy(agent, (...args) => pass(connect(...args)));
}

/** Makes an agent use other connections, which needn't be sockets. */
export function connectedBy(agent: Agent, createConnection: (...args: unknown[]) => Duplex): Agent {
    return Object.assign(agent, { createConnection });
}

/**
 * Makes `util.inspect` show an agent as one word. The client library formats the options of each request to the full depth,
 * for a debug message that is hardly ever printed. An agent leads to its sockets, and from there to Pulumi's async context
 * with all resources, which takes seconds to format.
 */
export function shownBriefly(agent: Agent): Agent {
    return Object.assign(agent, { [inspect.custom]: () => "Agent" });
}

/**
 * Hides DOCKER_HOST while the client is created. The client reads it and its certificates then, and fails if they are
 * wrong, whatever its options are.
 */
export function withoutDockerHost<Result>(make: () => Result): Result {
    const { DOCKER_HOST: named } = process.env;
    delete process.env["DOCKER_HOST"];
    try {
        return make();
    } finally {
        if (named !== undefined) {
            process.env["DOCKER_HOST"] = named;
        }
    }
}
