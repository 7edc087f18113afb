import { outcomesOf, sameOutcomesOf } from "../harness/outcome";
import type { FixtureProxy } from "../harness/proxyFixture";
import { BUCKET, type SignedTraffic } from "../harness/signedTraffic";

/** Bucket with the name of a prefix that one of the proxies strips. */
const PREFIX_BUCKET = "prefix";

const REWRITINGS: { rewriting: string; proxy: FixtureProxy; path: string }[] = [
    { rewriting: "decodes the path", proxy: "pathDecoded", path: `/${BUCKET}/%2541` },
    { rewriting: "strips a prefix of the path", proxy: "prefixStripped", path: `/${PREFIX_BUCKET}/${BUCKET}/key` },
    { rewriting: "merges slashes in the path", proxy: "slashesMerged", path: `/${BUCKET}//key` },
    { rewriting: "rewrites Host", proxy: "hostRewritten", path: `/${BUCKET}/key` },
];

/** Shows why the proxy must not change path and Host: how stores answer signed requests behind proxies that do. */
export function rewritingProxiesSuite(traffic: () => SignedTraffic): void {
    beforeAll(() => traffic().makeBucket(PREFIX_BUCKET));

    test.each(REWRITINGS)(
        "a proxy that $rewriting breaks the signature of a request that this one passes on",
        async ({ proxy, path }) => {
            const request = await traffic().sign("PUT", path, { body: Buffer.from("content") });
            const [rewritten] = await outcomesOf(traffic().through(proxy), [request]);
            expect(rewritten).toMatchObject({ status: 403, code: "SignatureDoesNotMatch" });
            const [passedOn] = await sameOutcomesOf(traffic(), request);
            expect(passedOn?.status).toBe(200);
        },
    );
}
