/**
 * What is recorded of a migration between two stores: a file of the cluster's first node, which `npm run migrate` writes. A cluster that was
 * never migrated has none.
 */
export type MigrationMark =
    /** A migration has begun. No update may change the nodes. */
    | { store: string; to: string }
    /** The drives belong to a store, which has what the former one had. */
    | { store: string; from: string };

/** A record, by its text. Undefined if there is none. */
export function readMark(text: string | undefined): MigrationMark | undefined {
    const [store = "", word, other = ""] = (text ?? "").trim().split(/\s+/);
    return word === "migrating-to" ? { store, to: other } : word === "from" ? { store, from: other } : undefined;
}

/** The text of a record. */
export function markText(mark: MigrationMark): string {
    return "to" in mark ? `${mark.store} migrating-to ${mark.to}` : `${mark.store} from ${mark.from}`;
}

/** Why no update may change a cluster. Undefined if one may. */
export function whyMigrating(clusterName: string, mark: MigrationMark | undefined): string | undefined {
    return mark === undefined || !("to" in mark)
        ? undefined
        : `${clusterName}: a migration from ${mark.store} to ${mark.to} was begun and has not ended. ` +
              `\`npm run migrate -- --to ${mark.to}\` goes on, \`npm run migrate -- --back\` returns to ${mark.store}. ` +
              migratedCluster(clusterName);
}

/** Which cluster the command is for: without more words, it is a stack's own store. */
export function migratedCluster(clusterName: string): string {
    return `For an additional store, or a program of your own, add --cluster ${clusterName}`;
}
