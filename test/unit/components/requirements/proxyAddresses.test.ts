import * as pulumi from "@pulumi/pulumi";
import { checkProxyAddresses, claimNumber, takenAddresses } from "../../../../components/requirements/proxyAddresses";

const networks = [{ name: "edge-public" }, { name: "store-nodes", ipv4Address: "10.200.7.2" }];
const place = { containerName: "edge-proxy", proxyNumber: 1, networks };
const proxy = (name: string, addresses: { [network: string]: string }) => ({ name, addresses });

describe("addresses of proxies", () => {
    test("an address that another proxy of the cluster has is refused, with a remedy", () => {
        const others = [proxy("other-proxy", { "other-public": "10.200.9.2", "store-nodes": "10.200.7.2" })];
        expect(takenAddresses(place, others)).toEqual([
            {
                propertyPath: "proxyNumber",
                reason:
                    "1 means the address 10.200.7.2 on the network store-nodes, which other-proxy uses already: " +
                    "set a number of its own for each proxy of a cluster, from 1 to 6",
            },
        ]);
    });

    test.each([
        ["its own container's", [proxy("edge-proxy", { "store-nodes": "10.200.7.2" })]],
        ["another address of the network", [proxy("other-proxy", { "store-nodes": "10.200.7.3" })]],
        ["the same address of another network", [proxy("other-proxy", { "other-nodes": "10.200.7.2" })]],
        ["a network without an address that is asked for", [proxy("other-proxy", { "edge-public": "10.200.9.2" })]],
        ["that of a proxy that isn't running", [proxy("other-proxy", { "store-nodes": "" })]],
    ])("%s is allowed", (_, containers) => {
        expect(takenAddresses(place, containers)).toEqual([]);
    });

    test("two proxies with the same number in front of one cluster are refused before either exists, in one program", async () => {
        const [cluster, other] = [pulumi.output({}), pulumi.output({})];
        expect(claimNumber([cluster], 1, "edge-proxy")).toEqual([]);
        expect(claimNumber([cluster], 1, "edge-proxy")).toEqual([]);
        expect(claimNumber([cluster], 2, "second-proxy")).toEqual([]);
        expect(claimNumber([other], 1, "third-proxy")).toEqual([]);
        const rivals = claimNumber([cluster, other], 1, "fourth-proxy");
        expect(rivals).toEqual(["edge-proxy", "third-proxy"]);
        expect(await checkProxyAddresses({ ...place, containerName: "fourth-proxy", rivals }, undefined)).toEqual([
            {
                propertyPath: "proxyNumber",
                reason:
                    "1 is the number of edge-proxy, third-proxy as well: " +
                    "set a number of its own for each proxy of a cluster, from 1 to 6",
            },
        ]);
    });
});
