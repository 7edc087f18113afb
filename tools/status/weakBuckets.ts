import type { WeakBucket } from "../../components/requirements/weakBuckets";

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
