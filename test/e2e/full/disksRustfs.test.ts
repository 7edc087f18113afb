import { rustfsStore } from "../harness/stores";
import { disksSuite } from "../suites/disks";

describe("disks, as the documents replace, move and add them, with RustFS", () => disksSuite(rustfsStore));
