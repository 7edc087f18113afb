import { standInStore } from "./harness/stores";
import { recordedRequestsSuite } from "./suites/recordedRequests";
import { signaturesSuite } from "./suites/signatures";

describe("signed requests on the stand-in", () => signaturesSuite(standInStore, recordedRequestsSuite));
