import { minioStore } from "./harness/stores";
import { policyConditionsSuite } from "./suites/policyConditions";
import { signaturesSuite } from "./suites/signatures";
import { edgeRestrictionsSuite } from "./suites/edgeRestrictions";
import { unsentBodiesSuite } from "./suites/unsentBodies";
import { storeOperationsSuite } from "./suites/storeOperations";
import { unverifiedUploadsSuite } from "./suites/unverifiedUploads";

describe("signed requests on MinIO", () =>
    signaturesSuite(minioStore, (traffic) => {
        storeOperationsSuite(traffic);
        unsentBodiesSuite(traffic);
        unverifiedUploadsSuite(traffic);
        edgeRestrictionsSuite(traffic);
        policyConditionsSuite(traffic, { tls: false, trustsDirectClients: true });
    }));
