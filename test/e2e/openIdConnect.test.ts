import { minioStore } from "./harness/stores";
import { openIdConnectSuite } from "./suites/openIdConnect";

describe("OpenID Connect with MinIO", () => openIdConnectSuite(() => ({ ...minioStore(), nodeCount: 1 })));
