import { tagOf } from "./releases";

/** A vulnerability of some versions of a store. An update with an affected image logs a warning, in preview too. */
export interface KnownVulnerability {
    /** Its CVE number, such as `CVE-2025-62506`. */
    id: string;
    /** What an attacker can do with it. */
    effect: string;
    /**
     * Tag of the first version without it. Only tags with the same text before their first digit are compared, as strings.
     */
    fixedIn: string;
    /** What to do about it. */
    remedy: string;
}

/** Vulnerabilities of MinIO that an image may have although a later version of the community's source fixes them. */
export const minioVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2025-62506",
        effect: "service accounts and temporary credentials can escape their own session policy",
        fixedIn: "RELEASE.2025-10-15T17-29-55Z",
        remedy:
            "no official image fixes it: let `npm run up` build one (Pulumi.offline.yaml), set image to one of " +
            "your own, or issue no credentials with a session policy",
    },
];

/**
 * The vulnerabilities of a list that affect an image, according to its tag. None if the image has no tag or one of another
 * kind.
 */
export function vulnerabilitiesOf(image: string, known: KnownVulnerability[] = []): KnownVulnerability[] {
    const tag = tagOf(image);
    const kindOf = (text: string) => text.replace(/[0-9].*$/, "");
    return known.filter(({ fixedIn }) => kindOf(tag) === kindOf(fixedIn) && tag < fixedIn);
}
