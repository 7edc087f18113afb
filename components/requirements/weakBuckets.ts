import type { DockerEngine } from "../docker/engine";
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

/** Time limit for the answers about some buckets, in seconds: neither an update nor a report waits for a store that hangs. */
const ANSWER_SECONDS = 20;

/**
 * The buckets of a deployment's stores that have a weak durability. Each store is asked through one of its running nodes.
 *
 * @param nodes Names of the deployment's nodes.
 */
export async function weakBuckets(
    engine: Pick<DockerEngine, "containers" | "run">,
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
 * Warns of buckets with a weak durability: releases of RustFS before 1.0.1 gave it to new buckets. It refuses nothing.
 *
 * @param chosen Names of the buckets for which the args ask for it.
 */
export function weakBucketsAreNamed(
    clusterName: string,
    nodes: readonly string[],
    chosen: readonly string[],
): Requirement {
    return async (engines) => {
        const found = await Promise.all(
            [...engines.hosts.values()].map(async (host) => {
                const engine = await host.engine();
                // A store that doesn't answer is no reason to refuse an update, which may be what repairs it.
                return weakBuckets(engine, nodes).catch(() => []);
            }),
        );
        const names = new Set(found.flat().map(({ bucket }) => bucket));
        const unasked = [...names].filter((bucket) => !chosen.includes(bucket)).sort();
        if (unasked.length > 0) {
            await engines.warnOnce(
                clusterName,
                "durability",
                `a power failure can lose objects of ${unasked.join(", ")} that were acknowledged shortly before, since the ` +
                    "buckets' durability is relaxed. Give them a durability in buckets, with adopt: true",
            );
        }
        return [];
    };
}
