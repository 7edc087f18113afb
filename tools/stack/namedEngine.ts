import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import { engineClient } from "../../components/docker/engineConnection";
import {
    engineEndpoint,
    storedContexts,
    type EngineEndpoint,
    type Environment,
} from "../../components/docker/engineEndpoint";
import type { StoreHost } from "../../components/args/hostArgs";
import { limitSessions } from "../machine/sshConnections";
import { StepError } from "../cli/step";
import type { StackConfig } from "../pulumi/stackConfig";

/** Config keys of the Docker provider that select its engine, and the variables that replace unset ones. */
const ENGINE_KEYS = {
    "docker:host": "DOCKER_HOST",
    "docker:context": "DOCKER_CONTEXT",
    "docker:certPath": "DOCKER_CERT_PATH",
    "docker:caMaterial": "DOCKER_CA_MATERIAL",
    "docker:certMaterial": "DOCKER_CERT_MATERIAL",
    "docker:keyMaterial": "DOCKER_KEY_MATERIAL",
    "docker:sshOpts": "DOCKER_SSH_OPTS",
} as const;

/**
 * Sets the endpoint of Docker's context in the environment, as DOCKER_HOST and DOCKER_CERT_PATH: the context in
 * DOCKER_CONTEXT, else, if DOCKER_HOST isn't set, the client's current one. The Docker provider supports neither the
 * current context nor a context's certificates.
 *
 * @throws {StepError} if there is no such context.
 */
export function adoptContext(environment: Environment = process.env): void {
    const folder = environment["DOCKER_CONFIG"] ?? join(homedir(), ".docker");
    const named = environment["DOCKER_CONTEXT"] ?? "";
    const context = named !== "" || (environment["DOCKER_HOST"] ?? "") !== "" ? named : currentContext(folder);
    delete environment["DOCKER_CONTEXT"];
    if (context === "" || context === "default") {
        return;
    }
    const contexts = storedContexts(join(folder, "contexts"));
    const { host, tlsFolder } = contexts.find(({ name }) => name === context) ?? {};
    if (host === undefined) {
        throw new StepError(
            `there is no Docker context "${context}" in ${folder}: docker context ls shows those that there are, ` +
                "DOCKER_CONTEXT=NAME or docker context use NAME chooses one",
        );
    }
    environment["DOCKER_HOST"] = host;
    if (tlsFolder !== undefined) {
        environment["DOCKER_CERT_PATH"] ??= tlsFolder;
    }
}

function currentContext(folder: string): string {
    const file = join(folder, "config.json");
    if (!existsSync(file)) {
        return "";
    }
    return (JSON.parse(readFileSync(file, "utf8")) as { currentContext?: string }).currentContext ?? "";
}

/**
 * Makes this program and the Pulumi CLI use the engine of a stack that names no hosts: the one in the stack's config, else
 * that of Docker's context.
 *
 * @param config The stack's config. The CLI reads it by itself.
 * @param secret Decrypts one value.
 * @param cli Environment of the CLI.
 */
export async function adoptStackEngine(
    config: StackConfig,
    secret: (key: string) => Promise<string>,
    cli: Environment,
): Promise<void> {
    adoptContext();
    adoptContext(cli);
    for (const [key, variable] of Object.entries(ENGINE_KEYS)) {
        const value = config.isSecret(key) ? await secret(key) : config(key);
        if (value !== undefined) {
            process.env[variable] = key === "docker:sshOpts" ? (JSON.parse(value) as string[]).join(" ") : value;
        }
    }
    if (namedEndpoint().kind === "ssh") {
        limitSessions(cli);
    }
}

/**
 * Makes the Pulumi CLI use the engines of a stack's hosts. Docker's context is another engine, and the Docker provider would
 * prefer the one in `DOCKER_CONTEXT` to every host.
 *
 * @param cli Environment of the CLI.
 */
export function adoptHosts(hosts: readonly StoreHost[], cli: Environment): void {
    delete process.env["DOCKER_CONTEXT"];
    delete cli["DOCKER_CONTEXT"];
    if (hosts.some(({ dockerHost }) => dockerHost.startsWith("ssh://"))) {
        limitSessions(cli);
    }
}

/** The engine in the environment, by the rules of the Docker provider; else the one at the default socket. */
export function namedEndpoint(): EngineEndpoint {
    try {
        return engineEndpoint();
    } catch (error) {
        throw new StepError((error as Error).message);
    }
}

/** A client for that engine. */
export function namedEngine(): Promise<Docker> {
    return engineClient(namedEndpoint());
}
