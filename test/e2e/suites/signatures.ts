import { Deployment } from "../harness/deployment";
import { SignedTraffic } from "../harness/signedTraffic";
import type { Store } from "../harness/stores";
import { rewritingProxiesSuite } from "./rewritingProxies";
import { signedKeysSuite } from "./signedKeys";
import { signedObjectsSuite } from "./signedObjects";
import { signedStreamsSuite } from "./signedStreams";

/**
 * Routing rule 6 on one node of a store: path and Host stay unchanged, so the store's response to a signed request is
 * the same with and without the proxy. The additional suite has tests that not every store supports.
 */
export function signaturesSuite(store: () => Store, furtherSuite: (traffic: () => SignedTraffic) => void): void {
    let deployment: Deployment;
    let traffic: SignedTraffic | undefined;

    beforeAll(async () => {
        deployment = await Deployment.create(store().config);
        await deployment.up();
        traffic = await SignedTraffic.start(deployment);
    }, 240_000);

    afterAll(async () => {
        await traffic?.stop();
        await deployment.remove();
    }, 120_000);

    for (const suite of [
        signedKeysSuite,
        signedObjectsSuite,
        signedStreamsSuite,
        rewritingProxiesSuite,
        furtherSuite,
    ]) {
        suite(() => {
            if (traffic === undefined) {
                throw new Error("the store isn't deployed");
            }
            return traffic;
        });
    }
}
