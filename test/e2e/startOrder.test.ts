import { minioStore } from "./harness/stores";
import { expectProxyStartsLast } from "./suites/startOrder";

describe("the proxy starts after every node's first healthy event", () => {
    test.each([
        { nodeCount: 1, parallel: 1 },
        { nodeCount: 1, parallel: 16 },
        { nodeCount: 4, parallel: 1 },
        { nodeCount: 4, parallel: 16 },
    ])(
        "$nodeCount node(s), --parallel $parallel",
        ({ nodeCount, parallel }) => expectProxyStartsLast(minioStore(), nodeCount, parallel),
        240_000,
    );
});
