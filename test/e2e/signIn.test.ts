import { minioSignIn } from "./harness/signInMinio";
import { standInSignIn } from "./harness/signInStandIn";
import { signInSuite } from "./suites/signIn";

describe("signing in to a cluster of the contract stand-in", () => signInSuite(standInSignIn));

describe("signing in to a cluster of MinIO", () => signInSuite(minioSignIn));
