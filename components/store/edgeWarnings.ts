import * as pulumi from "@pulumi/pulumi";
import { closedKeys, type EdgeRestrictions, type RestrictedPaths } from "./edgeRestrictions";
import { isRelease } from "./releases";
import { warn } from "../checks/warning";

/** Warns, in preview too, if an image's tag names no release that is known to verify uploads, which are refused therefore. */
export function warnOfUnknownRelease(
    component: pulumi.Resource,
    image: pulumi.Input<string>,
    { unverifiedUploads }: EdgeRestrictions,
): void {
    pulumi.output(image).apply((reference) => {
        const { verifyingReleases, payload } = unverifiedUploads ?? {};
        if (verifyingReleases !== undefined && !isRelease(reference, verifyingReleases)) {
            warn(
                component,
                `image: "${reference}" names no release that is known to verify uploads of the type ${payload}, which SDKs send by ` +
                    "default, so proxies refuse them. Take such a release, and write its tag as the store's makers do, before the " +
                    "digest if there is one",
            );
        }
    });
}

/** Warns, in preview too, of buckets of which proxies close parts. */
export function warnOfClosedBuckets(
    component: pulumi.Resource,
    buckets: string[],
    { restrictedPaths }: { restrictedPaths: RestrictedPaths },
): void {
    for (const bucket of buckets) {
        const closed = closedKeys(restrictedPaths, bucket);
        if (closed.length > 0) {
            warn(
                component,
                `buckets.${bucket}: proxies close ${closed.join(", ")} to clients, so objects with these keys can't be reached. ` +
                    "Give the bucket another name",
            );
        }
    }
}
