import type { EngineInfo } from "../docker/model";
import type { LocalHost } from "../docker/localHost";
import { located, type At, type Problem } from "../checks/problem";
import { onEngine, type Requirement } from "./requirement";

/** Limits of containers that will be created; each is optional. */
export interface WantedLimits {
    /** Memory, in MiB. */
    memory?: number;
    /** CPUs. */
    cpus?: number;
    /** Open files per process. */
    openFiles?: number;
}

/** An engine accepts the limits of containers. Limits that have no effect there are warned of. */
export function limitsAreAccepted(host: string | undefined, limits: WantedLimits, at: At): Requirement {
    return onEngine(host, async ({ engine, local, warn }) => {
        if (limits.memory === undefined && limits.cpus === undefined && limits.openFiles === undefined) {
            return [];
        }
        const info = await engine.info();
        const without = limitsWithoutEffect(limits, info);
        if (without.length > 0) {
            await warn(
                `${without.join(", ")}: no effect, since the Docker daemon can't limit that; \`docker info\` says why. A Docker daemon without root needs a ` +
                    "host with cgroup v2, and systemd that delegates the controllers",
            );
        }
        return located(at, await checkLimits(limits, info, local));
    });
}

/** File with the kernel's maximum number of open files per process, which holds for every user. */
const MOST_OPEN_FILES = "/proc/sys/fs/nr_open";

/**
 * Limits that the engine would refuse, as far as that can be read: more CPUs than it has, or any if it can't limit them; on this
 * host more open files than
 * its kernel allows. The other limits are tested in an update, on a temporary container.
 */
export async function checkLimits(
    { cpus = 0, openFiles = 0 }: WantedLimits,
    engine: EngineInfo,
    host?: LocalHost,
): Promise<Problem[]> {
    const problems: Problem[] = [];
    if (cpus > engine.cpus) {
        const reason = `${cpus} is not allowed: the Docker daemon has ${engine.cpus} CPUs. Give a number from 0.01 to ${engine.cpus}`;
        problems.push({ propertyPath: "cpus", reason });
    }
    if (cpus > 0 && !engine.limitsCpus && engine.hasControlGroups) {
        const reason =
            `${cpus} is not allowed: the Docker daemon's host lets it control no CPU time (\`docker info\`). Remove it, or, for a Docker daemon without ` +
            "root, have systemd delegate the controller cpu to its user (Delegate= of user@.service)";
        problems.push({ propertyPath: "cpus", reason });
    }
    const most = Number((await host?.text(MOST_OPEN_FILES))?.trim() ?? "");
    if (most > 0 && openFiles > most) {
        const reason = `${openFiles} is not allowed: this host's kernel allows ${most} (fs.nr_open). Give a number from 1024 to ${most}`;
        problems.push({ propertyPath: "openFiles", reason });
    }
    return problems;
}

/**
 * Limits that the engine accepts to no effect: one without root whose host gives it no control groups, or doesn't let it control
 * memory.
 */
export function limitsWithoutEffect({ memory, cpus }: WantedLimits, engine: EngineInfo): string[] {
    return [
        ...(memory === undefined || engine.limitsMemory ? [] : ["memory"]),
        ...(cpus === undefined || engine.limitsCpus || engine.hasControlGroups ? [] : ["cpus"]),
    ];
}
