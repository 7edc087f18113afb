import { faultsSuite } from "./fullSuite";
import { rustfsStore } from "../harness/stores";

describe("a cluster of RustFS under load", () => faultsSuite(rustfsStore));
