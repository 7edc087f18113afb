import { rustfsStore } from "../harness/stores";
import { hostsSuite } from "../hosts/hostsSuite";

describe("RustFS over four hosts under load", () => hostsSuite(rustfsStore));
