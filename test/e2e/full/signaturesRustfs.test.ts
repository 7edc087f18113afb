import { rustfsStore } from "../harness/stores";
import { policyConditionsSuite } from "../suites/policyConditions";
import { signaturesSuite } from "../suites/signatures";
import { unsentBodiesSuite } from "../suites/unsentBodies";
import { storeOperationsSuite } from "../suites/storeOperations";
import { unverifiedUploadsSuite } from "../suites/unverifiedUploads";

describe("signed requests on RustFS", () =>
    signaturesSuite(rustfsStore, (traffic) => {
        storeOperationsSuite(traffic);
        unsentBodiesSuite(traffic);
        unverifiedUploadsSuite(traffic);
        policyConditionsSuite(traffic, { tls: true, trustsDirectClients: false });
    }));
