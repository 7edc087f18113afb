import { changesSuite } from "./fullSuite";
import { rustfsStore } from "../harness/stores";

describe("a cluster of RustFS under load", () => changesSuite(rustfsStore));
