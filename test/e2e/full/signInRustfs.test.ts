import { rustfsSignIn } from "../harness/signInRustfs";
import { signInSuite } from "../suites/signIn";

describe("signing in to a cluster of RustFS", () => signInSuite(rustfsSignIn, 100));
