import {
    addressAt,
    gatewayOf,
    networkForName,
    networkSize,
    networksOverlap,
    upperHalf,
} from "../../../../components/naming/ipv4Network";

test("the network for a name is always the same, and differs for another name", () => {
    expect(networkForName("object-store-dev")).toBe(networkForName("object-store-dev"));
    expect(networkForName("object-store-dev")).not.toBe(networkForName("object-store-prod"));
    expect(networkForName("object-store-dev")).toMatch(/^10\.(19[2-9]|20\d|21\d|22[0-3])\.\d+\.0\/24$/);
});

test("addresses count from the network's own", () => {
    expect(addressAt("10.200.7.0/24", 10)).toBe("10.200.7.10");
    expect(addressAt("10.200.7.9/24", 1)).toBe("10.200.7.1");
    expect(addressAt("10.200.0.0/16", 300)).toBe("10.200.1.44");
});

// Measured with Docker 20.10: its inspection shows no gateway for such a network.
test.each([
    ["10.231.7.0/24", undefined, "10.231.7.1"],
    ["10.231.7.0/24", "10.231.7.0/25", "10.231.7.1"],
    ["10.231.7.0/24", "10.231.7.64/26", "10.231.7.64"],
    ["10.231.7.0/24", "10.231.7.128/25", "10.231.7.128"],
    ["10.231.7.0/24", "10.231.7.200/32", "10.231.7.200"],
])("Docker's default gateway in %s, with addresses from %s, is %s", (subnet, range, expected) => {
    expect(gatewayOf(subnet, range)).toBe(expected);
});

test("the upper half has the higher addresses", () => {
    expect(upperHalf("10.200.7.0/24")).toBe("10.200.7.128/25");
    expect(upperHalf("10.200.0.0/16")).toBe("10.200.128.0/17");
    expect(networkSize("10.200.7.0/26")).toBe(64);
});

test.each([
    ["10.0.0.0/24", "10.0.0.128/25", true],
    ["10.0.0.0/24", "10.0.1.0/24", false],
    ["10.0.0.0/8", "10.200.7.0/24", true],
    ["0.0.0.0/0", "192.168.0.0/16", true],
    ["172.17.0.0/16", "10.192.0.0/16", false],
])("%s and %s overlap: %s", (one, other, expected) => {
    expect(networksOverlap(one, other)).toBe(expected);
    expect(networksOverlap(other, one)).toBe(expected);
});
