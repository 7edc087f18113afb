import { HostEngines, type HostEngine } from "../docker/hosts";
import { LABELS } from "../naming/labels";
import type { ServiceProfile } from "../store/serviceProfile";
import { BucketDurability } from "../storeClient/bucketDurability";
import { NodeRequests } from "../storeClient/nodeRequests";
import type { DesiredCluster } from "./desiredCluster";
import type { Requirement } from "./requirement";

/** A bucket whose durability lets an acknowledged upload be lost if the power fails. */
export interface WeakBucket {
    /** Name of its store on the Docker hosts. */
    store: string;
    bucket: string;
}

/** Time limit for the answers to the requests of one command, in seconds: neither an update nor a report waits for a store that hangs. */
const ANSWER_SECONDS = 20;

/**
 * The buckets of a store that have a weak durability, by one of its running nodes.
 *
 * @param profile The store's profile. Undefined if it isn't known: then nothing is asked.
 * @param nodes Names of its nodes.
 */
export async function weakBuckets(
    engine: Pick<HostEngine, "containers" | "run">,
    profile: ServiceProfile | undefined,
    nodes: readonly string[],
): Promise<WeakBucket[]> {
    if (profile?.durabilityPath === undefined) {
        return [];
    }
    const containers = await engine.containers(LABELS.node);
    const asked = containers.find(({ name, state }) => nodes.includes(name) && state === "running");
    if (asked === undefined) {
        return [];
    }
    const requests = new NodeRequests((command) => engine.run(asked.name, command, [], ANSWER_SECONDS), profile);
    const buckets = await new BucketDurability(requests, profile.durabilityPath).weak();
    return buckets.map((bucket) => ({ store: asked.labels[LABELS.cluster] ?? "", bucket }));
}

/**
 * Warns of buckets with a weak durability: releases of RustFS before 1.0.1 gave it to new buckets. It refuses nothing: an update
 * may be what repairs a store that doesn't answer.
 *
 * @param declared Names of the buckets whose durability the args say.
 */
export function weakBucketsAreNamed(
    { clusterName, profile, nodes }: Pick<DesiredCluster, "clusterName" | "profile" | "nodes">,
    declared: readonly string[],
): Requirement {
    return async (engines) => {
        const connected = [...engines.hosts].map(async ([name, host]) => [name, await host.engine()] as const);
        const all = new HostEngines(new Map(await Promise.all(connected)));
        const warn = (text: string) => engines.warnOnce(clusterName, "durability", text);
        try {
            const names = nodes.map(({ name }) => name);
            const weak = (await weakBuckets(all, profile, names)).map(({ bucket }) => bucket);
            const found = weak.filter((bucket) => !declared.includes(bucket)).sort();
            if (found.length > 0) {
                await warn(
                    `a power failure can lose objects of ${found.join(", ")} that were acknowledged shortly before, since the ` +
                        "buckets' durability is relaxed. Unless you want that, give them one: in buckets with adopt: true, or as Bucket",
                );
            }
        } catch (error) {
            await warn(
                `whether ${clusterName} has buckets with the durability relaxed isn't known: ${(error as Error).message}`,
            );
        }
        return [];
    };
}
