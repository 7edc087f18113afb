import { engineSuite } from "./fullSuite";
import { rustfsStore } from "../harness/stores";

describe("a cluster of RustFS under load", () => engineSuite(rustfsStore));
