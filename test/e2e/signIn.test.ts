import { minioSignIn } from "./harness/signInMinio";
import { standInSignIn } from "./harness/signInStandIn";
import { signInSuite } from "./suites/signIn";

/** A hundred of each are in `npm run test:full`. */
const SIGN_INS = 30;

describe("signing in to a cluster of the contract stand-in", () => signInSuite(standInSignIn, SIGN_INS));

describe("signing in to a cluster of MinIO", () => signInSuite(minioSignIn, SIGN_INS));
