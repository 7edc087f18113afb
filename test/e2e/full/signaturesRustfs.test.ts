import { rustfsStore } from "../harness/stores";
import { signaturesSuite } from "../suites/signatures";
import { storeOperationsSuite } from "../suites/storeOperations";

describe("signed requests on RustFS", () => signaturesSuite(rustfsStore, storeOperationsSuite));
