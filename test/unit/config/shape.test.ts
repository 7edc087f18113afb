import { shapeProblems, type Shape } from "../../../config/shape";

const POOLS: Shape = {
    list: { map: { nodeCount: "number", drivePaths: { list: { list: "string" } } }, required: ["nodeCount"] },
};
const pathsOf = (value: unknown) => shapeProblems("pools", value, POOLS).map(({ propertyPath }) => propertyPath);

test("a value of the right shape has no problem", () => {
    expect(pathsOf([{ nodeCount: 4, drivePaths: [["/mnt/a"], []] }, { nodeCount: 2 }])).toEqual([]);
});

test("every problem is reported, with its property's path", () => {
    expect(pathsOf([{ nodeCount: "4", drivepaths: [] }, { drivePaths: [["/mnt/a", 7], "/mnt/b"] }, "four"])).toEqual([
        "pools[0].nodeCount",
        "pools[0].drivepaths",
        "pools[1].nodeCount",
        "pools[1].drivePaths[0][1]",
        "pools[1].drivePaths[1]",
        "pools[2]",
    ]);
    expect(pathsOf({})).toEqual(["pools"]);
});

test("each problem contains the value, what is allowed, and the syntax", () => {
    const shape: Shape = {
        map: { agreed: "boolean", count: "number", name: "string", servers: { list: "string" }, inner: POOLS },
        required: ["agreed"],
    };
    const reported = (value: unknown) =>
        shapeProblems("key", value, shape).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
    expect(reported({ agreed: "yes", count: "4", name: 7, servers: "1.1.1.1", inner: [{}], cuont: 1 })).toEqual([
        'key.agreed: "yes" is not allowed: give true or false, without quotes',
        'key.count: "4" is not a number: give digits without quotes, such as 4',
        'key.name: 7 is not text: put it in quotes, such as "7"',
        'key.servers: "1.1.1.1" is not a list: give one, such as ["text"]',
        "key.inner[0].nodeCount: is missing: give it, such as 4",
        "key.cuont: is not known: did you mean count?",
    ]);
    expect(reported(5)).toEqual([
        'key: 5 is not a map of agreed, count, name, servers, inner: give one, such as {"agreed": true}',
    ]);
});

test("a secret is never reported, nor a value that may contain one", () => {
    const shape: Shape = { map: { binding: { map: { hmacKey: "secret" } }, list: { list: "secret" } } };
    const reported = (value: unknown) => JSON.stringify(shapeProblems("acme", value, shape));
    expect(reported({ binding: { hmacKey: 12345 } })).not.toContain("12345");
    expect(reported({ binding: "12345", list: "12345" })).not.toContain("12345");
    expect(reported({ binding: { hmackey: "12345" } })).not.toContain("12345");
    expect(reported("12345")).not.toContain("12345");
});
