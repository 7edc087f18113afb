import type * as pulumi from "@pulumi/pulumi";

const holders = new WeakMap<pulumi.Resource, pulumi.Resource>();

/** Records the resource that is deleted only together with a component's data. */
export function setDataHolder(component: pulumi.Resource, holder: pulumi.Resource | undefined): void {
    if (holder !== undefined) {
        holders.set(component, holder);
    }
}

/**
 * The resource that is deleted only together with a component's data: the volume with the secrets of the first node. A
 * component itself can't be named in `deletedWith` for this: what depends on a component depends on all of its children,
 * and `pulumi destroy --exclude-protected` would keep them.
 */
export function dataHolderOf(component: pulumi.Resource): pulumi.Resource | undefined {
    return holders.get(component);
}
