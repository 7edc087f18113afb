import type { ObjectStoreArgs, StoreHost } from "../../../components";

/** The hosts of a store over several of them. */
export const HOSTS: StoreHost[] = ["a", "b", "c"].map((name, index) => ({
    name,
    dockerHost: `ssh://ops@${name}.example.com`,
    address: `10.0.0.${index + 1}`,
}));

/** A store with a node and a proxy on each of them. */
export const ARGS: ObjectStoreArgs = {
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
    hosts: HOSTS,
    nodeCount: 3,
};
