import { HostEngines, type HostEngine } from "../docker/hosts";
import { LABELS } from "../naming/labels";
import { findProfile } from "../store/profiles/all";
import { BucketDurability } from "../storeClient/bucketDurability";
import { NodeRequests } from "../storeClient/nodeRequests";
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
 * The buckets of a deployment's stores that have a weak durability. Each store is asked through one of its running nodes.
 *
 * @param nodes Names of the deployment's nodes.
 */
export async function weakBuckets(
    engine: Pick<HostEngine, "containers" | "run">,
    nodes: readonly string[],
): Promise<WeakBucket[]> {
    const running = (await engine.containers(LABELS.node)).filter(
        ({ name, state }) => nodes.includes(name) && state === "running",
    );
    const storeOf = (labels: { [label: string]: string }) => labels[LABELS.cluster] ?? "";
    const asked = new Map(running.map((node) => [storeOf(node.labels), node]));
    const found = await Promise.all(
        [...asked].map(async ([store, { name, labels }]) => {
            const profile = findProfile(labels[LABELS.profile] ?? "");
            if (profile?.durabilityPath === undefined) {
                return [];
            }
            const requests = new NodeRequests((command) => engine.run(name, command, [], ANSWER_SECONDS), profile);
            const buckets = await new BucketDurability(requests, profile.durabilityPath).weak();
            return buckets.map((bucket) => ({ store, bucket }));
        }),
    );
    return found.flat();
}

/**
 * Warns of buckets with a weak durability: releases of RustFS before 1.0.1 gave it to new buckets. It refuses nothing: an update
 * may be what repairs a store that doesn't answer.
 *
 * @param declared Names of the buckets whose durability the args say.
 */
export function weakBucketsAreNamed(
    clusterName: string,
    nodes: readonly string[],
    declared: readonly string[],
): Requirement {
    return async (engines) => {
        const connected = [...engines.hosts].map(async ([name, host]) => [name, await host.engine()] as const);
        const all = new HostEngines(new Map(await Promise.all(connected)));
        const warn = (text: string) => engines.warnOnce(clusterName, "durability", text);
        try {
            const names = (await weakBuckets(all, nodes)).map(({ bucket }) => bucket);
            const found = names.filter((bucket) => !declared.includes(bucket)).sort();
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
