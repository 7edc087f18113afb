import { renewalsSuite } from "../suites/renewals";

describe("ten renewals of a certificate by ACME under load", () => renewalsSuite(10));
