import { shapeProblems, type Shape } from "../../config/shape";

const POOLS: Shape = {
    list: { map: { nodeCount: "number", drivePaths: { list: { list: "string" } } }, required: ["nodeCount"] },
};
const pathsOf = (value: unknown) => shapeProblems("pools", value, POOLS).map(({ propertyPath }) => propertyPath);

test("a value of the shape has no problem", () => {
    expect(pathsOf([{ nodeCount: 4, drivePaths: [["/mnt/a"], []] }, { nodeCount: 2 }])).toEqual([]);
});

test("every problem is told, under the path of what has it", () => {
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

test("each problem says the value, what is allowed, and how it is written", () => {
    const shape: Shape = {
        map: { agreed: "boolean", count: "number", name: "string", servers: { list: "string" }, inner: POOLS },
        required: ["agreed"],
    };
    const told = (value: unknown) =>
        shapeProblems("key", value, shape).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
    expect(told({ agreed: "yes", count: "4", name: 7, servers: "1.1.1.1", inner: [{}], cuont: 1 })).toEqual([
        'key.agreed: "yes" is not allowed: give true or false, without quotes',
        'key.count: "4" is not a number: give digits without quotes, such as 4',
        'key.name: 7 is not text: put it in quotes, such as "7"',
        'key.servers: "1.1.1.1" is not a list: give one, such as ["text"]',
        "key.inner[0].nodeCount: is missing: give it, such as 4",
        "key.cuont: is not known: did you mean count?",
    ]);
    expect(told(5)).toEqual([
        'key: 5 is not a map of agreed, count, name, servers, inner: give one, such as {"agreed": true}',
    ]);
});

test("a secret is never told, nor what may hold one", () => {
    const shape: Shape = { map: { binding: { map: { hmacKey: "secret" } }, list: { list: "secret" } } };
    const told = (value: unknown) => JSON.stringify(shapeProblems("acme", value, shape));
    expect(told({ binding: { hmacKey: 12345 } })).not.toContain("12345");
    expect(told({ binding: "12345", list: "12345" })).not.toContain("12345");
    expect(told({ binding: { hmackey: "12345" } })).not.toContain("12345");
    expect(told("12345")).not.toContain("12345");
});
