import type * as pulumi from "@pulumi/pulumi";

/**
 * The resources of the program, as far as Pulumi's engine has asked for them in this update. Its request to delete one doesn't say
 * whether another one takes its place.
 */
export class ProgramResources {
    /** The engine asks for a check of each resource in an update, and in no removal of a stack. */
    private readonly checked = new Set<pulumi.URN>();

    /** URNs of the resources that keep what they have in a store, by that. */
    private readonly kept = new Map<string, pulumi.URN>();

    /** Names in the store of what is replaced, by the URNs. */
    private readonly replaced = new Map<pulumi.URN, string>();

    /** What this update has created or changed in stores. */
    private readonly made = new Set<string>();

    checks(urn: pulumi.URN): void {
        this.checked.add(urn);
    }

    compares(urn: pulumi.URN, id: pulumi.ID, isReplaced: boolean): void {
        if (isReplaced) {
            this.replaced.set(urn, id.split("/").slice(1).join("/"));
        } else {
            this.kept.set(thing(urn, id), urn);
        }
    }

    makes(urn: pulumi.URN, id: pulumi.ID): void {
        this.made.add(thing(urn, id));
    }

    /** Name in the store of what is replaced. Undefined if nothing is, as far as is known. */
    replacedName(urn: pulumi.URN): string | undefined {
        return this.replaced.get(urn);
    }

    /** Whether the program still has a resource that is deleted: then it is replaced. */
    has(urn: pulumi.URN): boolean {
        return this.checked.has(urn);
    }

    /** Whether what a resource had in its store is another one's by now, such as the same one's under another name in the program. */
    isOfAnother(urn: pulumi.URN, id: pulumi.ID): boolean {
        const user = this.kept.get(thing(urn, id));
        return this.made.has(thing(urn, id)) || (user !== undefined && user !== urn);
    }
}

/** A bucket, a policy or an access key: they may have the same id. */
function thing(urn: pulumi.URN, id: pulumi.ID): string {
    return `${urn.split("::")[2]?.split("$").at(-1)} ${id}`;
}
