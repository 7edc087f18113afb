import * as pulumi from "@pulumi/pulumi";

/** A vulnerability of some versions of a store. An update with such an image warns of it, in preview too. */
export interface KnownVulnerability {
    /** Its number, such as `CVE-2025-62506`. */
    id: string;
    /** What it lets somebody do. */
    effect: string;
    /** Tag of the first version without it. Tags that begin alike up to their first digit are compared as text. */
    fixedIn: string;
    /** What to do about it. */
    remedy: string;
}

/** Those of MinIO that an image may have although a later version of the community's source has them fixed. */
export const minioVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2025-62506",
        effect: "service accounts and temporary credentials can escape their own session policy",
        fixedIn: "RELEASE.2025-10-15T17-29-55Z",
        remedy:
            "no official image has it fixed: let `npm run up` build one (Pulumi.offline.yaml), set image to one of " +
            "your own, or give nobody credentials with a session policy",
    },
];

/** Those of a list that an image has by its tag; none where the tag is of another kind, or there is none. */
export function vulnerabilitiesOf(image: string, known: KnownVulnerability[] = []): KnownVulnerability[] {
    const tag = /:([^/:@]+)(?:@[^@]*)?$/.exec(image)?.[1] ?? "";
    const kindOf = (text: string) => text.replace(/[0-9].*$/, "");
    return known.filter(({ fixedIn }) => kindOf(tag) === kindOf(fixedIn) && tag < fixedIn);
}

/** Warns of each that an image has, in preview too. */
export function warnOfVulnerabilities(
    component: pulumi.Resource,
    image: pulumi.Input<string>,
    known: KnownVulnerability[] = [],
): void {
    pulumi.output(image).apply(async (reference) => {
        for (const { id, effect, fixedIn, remedy } of vulnerabilitiesOf(reference, known)) {
            await pulumi.log.warn(
                `image: "${reference}" has ${id}: ${effect}. Fixed in ${fixedIn}; ${remedy}`,
                component,
            );
        }
    });
}
