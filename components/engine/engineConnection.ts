import type Docker from "dockerode";
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Socket } from "node:net";
import { inspect } from "node:util";
import { withoutBrackets, type EngineEndpoint } from "./engineEndpoint";
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
    clients.set(key, client);
    return client;
}

/** Time without traffic after which the kernel tests whether an engine's host is still reachable, in milliseconds. */
const KEEPALIVE_DELAY = 30_000;

/**
 * Makes an agent use each connection once. A kept connection may have been closed by the other side when it is reused, and
 * the request fails. TCP keepalive ends a connection whose host is gone, so that the program doesn't wait forever for a
 * response. Node.js itself sets keepalive only on kept connections.
 */
function usedOnce(agent: Agent): Agent {
    const connections = agent as unknown as { createConnection(...args: unknown[]): Socket };
    const connect = connections.createConnection.bind(agent);
    connections.createConnection = (...args) => {
        const socket = connect(...args);
        return socket.once("connect", () => socket.setKeepAlive(true, KEEPALIVE_DELAY));
    };
    return agent;
}

/**
 * Makes `util.inspect` show an agent as one word. The client library formats the options of each request to the full depth,
 * for a debug message that is hardly ever printed. An agent leads to its sockets, and from there to Pulumi's async context
 * with all resources, which takes seconds to format.
 */
function shownBriefly(agent: Agent): Agent {
    return Object.assign(agent, { [inspect.custom]: () => "Agent" });
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
 * Hides DOCKER_HOST while the client is created. The client reads it and its certificates then, and fails if they are
 * wrong, whatever its options are.
 */
function withoutDockerHost<Result>(make: () => Result): Result {
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

/** The known details of a failed connection. */
interface Failure {
    code?: string;
    message?: string;
}

const NAME_THE_ENGINE = "or name the engine by DOCKER_HOST or the config key docker:host";

/** What a user can do about an engine that doesn't answer, depending on the cause. */
export function remedy(error: unknown, endpoint: EngineEndpoint): string {
    const { code = "", message = "" } = error as Failure;
    if (endpoint.kind === "ssh") {
        return sshRemedy(code, message, endpoint.url);
    }
    const secure = endpoint.kind === "tcp" && endpoint.tls !== undefined;
    switch (code) {
        case "EACCES":
        case "EPERM":
            return "this user may not open the socket: sudo usermod -aG docker $USER, then log in again";
        case "ENOENT":
            return `there is no such socket: start Docker (sudo systemctl start docker), ${NAME_THE_ENGINE}`;
        case "ECONNREFUSED":
            return `nothing listens there: start Docker on that host and compare the address, ${NAME_THE_ENGINE}`;
        case "ENOTFOUND":
        case "EAI_AGAIN":
            return `that hostname has no address: correct it, ${NAME_THE_ENGINE}`;
        case "ETIMEDOUT":
        case "EHOSTUNREACH":
        case "ENETUNREACH":
            return "that host can't be reached: check its address, its route and firewalls";
    }
    if (/HTTP request to an HTTPS server/.test(message)) {
        return "it speaks TLS: set docker:certPath (or DOCKER_CERT_PATH) to a folder with ca.pem, cert.pem and key.pem";
    }
    if (/ALERT|alert|handshake/.test(`${code} ${message}`) || (secure && code === "ECONNRESET")) {
        return "it rejects the client certificate: use a cert.pem that its --tlscacert has signed, with its key.pem";
    }
    if (/WRONG_VERSION_NUMBER|wrong version number/.test(`${code} ${message}`)) {
        return "it doesn't speak TLS there: give its TLS port (2376 by custom), or unset docker:certPath and DOCKER_CERT_PATH";
    }
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
        return "its certificate is for other names: connect by a name that it has";
    }
    if (code === "CERT_HAS_EXPIRED") {
        return "its certificate has expired: give the engine a new one";
    }
    if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
        return "its certificate isn't signed by the ca.pem of docker:certPath: give the one that signed it";
    }
    if (/^ERR_(OSSL|SSL)/.test(code)) {
        return "a certificate or key can't be read: give PEM files, the key without a passphrase";
    }
    return `start Docker, ${NAME_THE_ENGINE}`;
}

function sshRemedy(code: string, message: string, url: string): string {
    const { hostname: host, username, port } = new URL(url);
    const hostname = withoutBrackets(host);
    const by = `ssh ${port === "" ? "" : `-p ${port} `}${username === "" ? "" : `${username}@`}${hostname}`;
    if (code === "ENOENT") {
        return "there is no ssh client on this machine: install one (on Debian and Ubuntu openssh-client)";
    }
    if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(message)) {
        return `that host's key has changed: find out why; if the new one is correct, ssh-keygen -R ${hostname}, then ${by}`;
    }
    if (/Host key verification failed/.test(message)) {
        return `that host's key isn't known: connect once with ${by}, compare the fingerprint and accept it`;
    }
    if (/Permission denied \(/.test(message)) {
        return `that host accepts none of your keys: load the right one (ssh-add), or name it in ~/.ssh/config, until ${by} works without a prompt`;
    }
    if (/permission denied.*docker|docker.*permission denied/is.test(message)) {
        return "that user may not use Docker there: sudo usermod -aG docker USER on that host";
    }
    if (/docker.*not found|not found.*docker/is.test(message)) {
        return "there is no docker client on that host: install one, since ssh:// runs `docker system dial-stdio` there";
    }
    return `run ${by} docker system dial-stdio until it waits without an error`;
}
