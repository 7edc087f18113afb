import type { StoreContents } from "../harness/storeContents";

/** Buckets, policies and keys that a preview refuses. */
export function refusedBucketsSuite({ deployment, configure }: StoreContents): void {
    test("a setting that doesn't exist is refused, with the problems of other keys", async () => {
        await configure({ buckets: { logs: { versoning: true } }, policies: { reports: {} } });
        const failure = await deployment().previewFailing();
        await configure({ buckets: {}, policies: {} });
        expect(failure).toContain("buckets.logs.versoning: is not known: did you mean versioning?");
        expect(failure).toContain("policies.reports.document: is missing");
    }, 60_000);

    test("invalid settings are refused in preview, all at once and by name, without a secret", async () => {
        await configure({
            buckets: {
                Photos: {},
                photos: { quota: 5, retention: { mode: "forever", days: 0 }, lifecycle: [{ id: "nothing" }] },
            },
            policies: { reports: {} },
            accessKeys: {
                app: { read: ["photos/*"], secretKey: "short" },
                "a-name-that-is-long": { write: ["photos"] },
            },
        });
        const failure = await deployment().previewFailing();
        await configure({ buckets: {}, policies: {}, accessKeys: {} });
        [
            'buckets.Photos: "Photos" is not the name of a bucket',
            "buckets.photos.quota: 5 is not allowed",
            "buckets.photos.retention: needs objectLock",
            'buckets.photos.retention.mode: "forever" is not known',
            "buckets.photos.lifecycle[0].expireDays: is missing",
            "policies.reports.document: is missing",
            'accessKeys.app.read[0]: "*" holds one of',
            "accessKeys.app.secretKey: has 5 characters",
            'accessKeys.a-name-that-is-long: "a-name-that-is-long" is not allowed',
        ].forEach((line) => expect(failure).toContain(line));
        expect(failure).not.toContain('"short"');
    }, 60_000);
}
