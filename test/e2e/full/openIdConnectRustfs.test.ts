import { signInToConsole } from "../harness/signInRustfs";
import { rustfsStore } from "../harness/stores";
import { openIdConnectSuite } from "../suites/openIdConnect";

describe("OpenID Connect with RustFS", () =>
    openIdConnectSuite(() => ({ ...rustfsStore(), nodeCount: 3 }), signInToConsole));
