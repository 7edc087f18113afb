import { BucketDurability } from "../../components/storeClient/bucketDurability";
import { NodeRequests } from "../../components/storeClient/nodeRequests";
import type { HostEngine } from "../../components/docker/hosts";
import { LABELS } from "../../components/naming/labels";
import { findProfile } from "../../components/store/profiles/all";

/** A bucket whose durability lets an acknowledged upload be lost if the power fails. */
export interface WeakBucket {
    /** Name of its store on the Docker hosts. */
    store: string;
    bucket: string;
}

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
            const requests = new NodeRequests((command, seconds) => engine.run(name, command, [], seconds), profile);
            const buckets = await new BucketDurability(requests, profile.durabilityPath).weak();
            return buckets.map((bucket) => ({ store, bucket }));
        }),
    );
    return found.flat();
}

/** What the report says of them. It is no problem, since it may be what the user has chosen. */
export function weakBucketLines(buckets: readonly WeakBucket[]): string[] {
    return buckets.length === 0
        ? []
        : [
              "",
              "A power failure can lose objects that were acknowledged shortly before in buckets with the durability relaxed",
              "(docs/how-to/buckets-and-keys.md says how to change it):",
              ...buckets.map(({ store, bucket }) => `  - ${bucket} of ${store}`),
          ];
}
