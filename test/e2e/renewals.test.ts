import { renewalsSuite } from "./suites/renewals";

// Ten are in `npm run test:full`.
describe("renewals of a certificate by ACME under load", () => renewalsSuite(3));
