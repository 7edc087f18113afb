import type { RunInNode } from "../components/storeClient/nodeRequests";
import type { Migration } from "./supported";
import { script, withParameters } from "../components/docker/script";

/** Folders of each drive in which two stores keep users, groups, policies and service accounts. */
export type AccessFolders = NonNullable<Migration["access"]>;

/** Folders in these, with an entry for each user, group, policy, service account, and list of a user's or a group's policies. */
const KINDS = ["users", "groups", "policies", "service-accounts", "policydb/users", "policydb/groups"];

/** Time limit for listing them on the drives of one node, in seconds. */
const LIST_SECONDS = 600;

/** Drives of a node, and how commands are run beside them. */
export interface NodeDrives {
    run: RunInNode;
    /** Folders in the node's container. */
    folders: string[];
}

/**
 * Users, groups, policies and service accounts that the first store has on the drives of all nodes and the second one hasn't:
 * `users/somebody`. Only names are compared.
 *
 * @throws {Error} with the output of a command that failed.
 */
export async function missingAccess(nodes: readonly NodeDrives[], { from, to }: AccessFolders): Promise<string[]> {
    const text = withParameters(
        { _FOLDERS: `from:${from} to:${to}`, _KINDS: KINDS.join(" ") },
        script(__dirname, "listAccess.sh"),
    );
    const lists = await Promise.all(
        nodes.map(async ({ run, folders }) => {
            const { code, output } = await run(["/bin/sh", "-c", text, "access", ...folders], LIST_SECONDS);
            if (code !== 0) {
                throw new Error(`users and policies on the drives can't be listed: ${output.trim()}`);
            }
            return output.split("\n");
        }),
    );
    const lines = lists.flat();
    const of = (store: string) =>
        new Set(lines.filter((line) => line.startsWith(`${store} `)).map((line) => line.slice(store.length + 1)));
    const has = of("to");
    return [...of("from")].filter((entry) => !has.has(entry)).sort();
}
