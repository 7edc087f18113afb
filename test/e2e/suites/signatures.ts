import { SignedTraffic } from "../harness/signedTraffic";
import type { Store } from "../harness/stores";
import { rewritingProxiesSuite } from "./rewritingProxies";
import { signedKeysSuite } from "./signedKeys";
import { signedObjectsSuite } from "./signedObjects";
import { signedStreamsSuite } from "./signedStreams";

/** Tests on a deployment that others run on too. */
export type TrafficSuite = (traffic: () => SignedTraffic, store: () => Store) => void;

/**
 * Routing rule 6 on one node of a store: path and Host stay as they came, so what the store answers to a signed request
 * is the same with and without the proxy.
 */
export function signaturesSuite(store: () => Store, furtherSuites: TrafficSuite[]): void {
    let traffic: SignedTraffic | undefined;

    beforeAll(async () => {
        traffic = await SignedTraffic.start(store());
    }, 240_000);

    afterAll(() => traffic?.remove(), 120_000);

    const started = () => {
        if (traffic === undefined) {
            throw new Error("the store isn't deployed");
        }
        return traffic;
    };
    const suites = [signedKeysSuite, signedObjectsSuite, signedStreamsSuite, rewritingProxiesSuite, ...furtherSuites];
    suites.forEach((suite) => suite(started, store));
}
