import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { inputsDigest } from "./containerArgs";

/**
 * The args of one container in several forms, the newest first: the others are those in which this library has created it on an
 * engine that knew less, or more.
 */
export type ContainerForms = readonly [docker.ContainerArgs, ...docker.ContainerArgs[]];

/**
 * The args of a container in the form of the existing one, if nothing else about it changes; otherwise in the newest form. So
 * an upgrade of the engine replaces no container by itself.
 *
 * @param existing Digest of the inputs of the existing container, as in its label. Undefined if there is none.
 */
export function inExistingForm(
    forms: ContainerForms,
    existing: pulumi.Input<string | undefined>,
): docker.ContainerArgs {
    const [newest] = forms;
    const chosen = formOf(existing, digestsOf(forms));
    const names = new Set(forms.flatMap((form) => Object.keys(form) as (keyof docker.ContainerArgs)[]));
    const differing = [...names].filter((name) => forms.some((form) => form[name] !== newest[name]));
    const values = differing.map((name) => [name, valueIn(forms, name, chosen)] as const);
    return { ...newest, ...Object.fromEntries(values) };
}

/** Digest of the inputs of each form, as in its container's label. */
export function digestsOf(forms: ContainerForms): pulumi.Output<string>[] {
    return forms.map(inputsDigest);
}

/** Place of the form of the existing container. Without one, the digests aren't waited for: in a preview some aren't known. */
function formOf(existing: pulumi.Input<string | undefined>, digests: pulumi.Output<string>[]): pulumi.Output<number> {
    return pulumi
        .output(existing)
        .apply((digest) =>
            digest === undefined
                ? pulumi.output(0)
                : pulumi.unsecret(pulumi.all(digests)).apply((known) => Math.max(known.indexOf(digest), 0)),
        );
}

function valueIn(
    forms: ContainerForms,
    name: keyof docker.ContainerArgs,
    chosen: pulumi.Output<number>,
): pulumi.Output<unknown> {
    return pulumi
        .all([chosen, pulumi.all(forms.map((form) => pulumi.output(form[name] as pulumi.Input<unknown>)))])
        .apply(([index, values]) => values[index]);
}
