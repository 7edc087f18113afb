import type { Problem } from "../../../components/checks/problem";
import type { DockerEngine } from "../../../components/docker/engine";
import type { LocalHost } from "../../../components/docker/localHost";
import type { EngineInfo } from "../../../components/docker/model";
import { EngineCache } from "../../../components/requirements/engineCache";
import type { Requirements } from "../../../components/requirements/requirement";
import { unmetNow } from "../../../components/requirements/requireAll";

/** An engine of two CPUs, which runs as root and can limit everything. */
export const ENGINE_INFO: EngineInfo = {
    cpus: 2,
    dataFolder: "/var/lib/docker",
    rootless: false,
    remapsUsers: false,
    limitsMemory: true,
    limitsCpus: true,
    hasControlGroups: true,
};

/** What an engine without anything answers. Its host isn't the one of this program. */
const NOTHING: Partial<DockerEngine> = {
    local: false,
    containers: () => Promise.resolve([]),
    folderMounts: () => Promise.resolve([]),
    imageId: () => Promise.resolve(undefined),
    imageVariables: () => Promise.resolve([]),
    info: () => Promise.resolve(ENGINE_INFO),
    ipv6Networks: () => Promise.resolve([]),
    networks: () => Promise.resolve([]),
    publishedPorts: () => Promise.resolve([]),
    volumes: () => Promise.resolve([]),
};

/** Answers of engines that differ from those of an engine without anything, by the names of their hosts. */
type Answers = ReadonlyMap<string | undefined, Partial<DockerEngine>>;

/**
 * Engines of hosts.
 *
 * @param local The host of all of them, if it is that of this program.
 */
export function enginesWith(answers: Answers, local?: LocalHost): EngineCache {
    const engines = new EngineCache([...answers.keys()].map((name) => (name === undefined ? {} : { name })));
    const onHost = local === undefined ? {} : { local: true };
    for (const [name, host] of engines.hosts) {
        const engine = { ...NOTHING, ...onHost, ...answers.get(name) } as DockerEngine;
        Object.assign(host, { engine: () => Promise.resolve(engine), ...(local && { local }) });
    }
    return engines;
}

/** What such engines lack, as lines. */
export async function problemsWith(then: Requirements["then"], answers: Answers, local?: LocalHost): Promise<string[]> {
    const problems = await unmetNow({ first: [], then }, enginesWith(answers, local));
    return problems.map(({ propertyPath, reason }: Problem) => `${propertyPath}: ${reason}`);
}
