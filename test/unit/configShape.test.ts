import { shapeProblems, type Shape } from "../../configShape";

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

test("what a value holds is never told", () => {
    const shape: Shape = { map: { hmacKey: "number" } };
    expect(JSON.stringify(shapeProblems("acme", { hmacKey: "a-secret" }, shape))).not.toContain("a-secret");
});
