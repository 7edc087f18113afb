import { HostEngines, onHost, type HostEngine } from "../../components/docker/hosts";
import type { StoreHost } from "../../components/args/hostArgs";
import { connectToHost } from "../stack/hostConnection";
import { StepError } from "../cli/step";
import type { HostStatus } from "./report";

/** The hosts of a deployment, as far as they can be queried. */
export interface QueriedHosts {
    /** Engines of the hosts that answer. */
    engines: HostEngines;
    /** The hosts in the stack's config. Undefined if it names none. */
    hosts?: HostStatus[];
}

/** The only engine of a deployment that names no hosts. */
export function onlyHost(engine: HostEngine): QueriedHosts {
    return { engines: new HostEngines(new Map([[undefined, engine]])) };
}

/**
 * Connects to the engines of a deployment's hosts.
 *
 * @param connect Connects to one. Default: as the Docker provider does.
 * @throws {StepError} with all reasons, if none answers.
 */
export async function queryHosts(
    hosts: readonly StoreHost[],
    connect: (host: StoreHost) => Promise<HostEngine> = connectToHost,
): Promise<QueriedHosts> {
    const answers = await Promise.all(
        hosts.map(async (host): Promise<[string, HostEngine | Error]> => [
            host.name,
            await connect(host).catch((error: unknown) => error as Error),
        ]),
    );
    const engines = answers.flatMap(([name, answer]): [string, HostEngine][] =>
        answer instanceof Error ? [] : [[name, answer]],
    );
    const statuses = answers.map(([name, answer]): HostStatus =>
        answer instanceof Error ? { name, failure: answer.message } : { name },
    );
    if (engines.length === 0) {
        throw new StepError(statuses.map(({ name, failure = "" }) => onHost(name, failure)).join("\n"));
    }
    return { engines: new HostEngines(new Map(engines)), hosts: statuses };
}
