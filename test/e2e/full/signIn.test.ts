import { minioSignIn } from "../harness/signInMinio";
import { standInSignIn } from "../harness/signInStandIn";
import { signInSuite } from "../suites/signIn";

describe("a hundred users who sign in to a cluster of the contract stand-in", () => signInSuite(standInSignIn, 100));

describe("a hundred users who sign in to a cluster of MinIO", () => signInSuite(minioSignIn, 100));
