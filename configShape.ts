import type { Problem } from "./components/problem";

/** What a value of stack config may hold. */
export type Shape =
    "string" | "number" | "boolean" | { list: Shape } | { map: { [property: string]: Shape }; required?: string[] };

/** Everything in a value that isn't of a shape, each under its own path. What a value holds is never shown. */
export function shapeProblems(propertyPath: string, value: unknown, shape: Shape): Problem[] {
    if (typeof shape === "string") {
        return typeof value === shape ? [] : [{ propertyPath, reason: `is not a ${shape}` }];
    }
    if ("list" in shape) {
        return Array.isArray(value)
            ? value.flatMap((item, place) => shapeProblems(`${propertyPath}[${place}]`, item, shape.list))
            : [{ propertyPath, reason: "is not a list" }];
    }
    const known = Object.keys(shape.map);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return [{ propertyPath, reason: `is not a map of ${known.join(", ")}` }];
    }
    const given = Object.entries(value);
    const missing = (shape.required ?? []).filter((property) => !given.some(([name]) => name === property));
    return [
        ...missing.map((property) => ({ propertyPath: `${propertyPath}.${property}`, reason: "is missing" })),
        ...given.flatMap(([property, inner]) => {
            const path = `${propertyPath}.${property}`;
            const wanted = shape.map[property];
            return wanted === undefined
                ? [{ propertyPath: path, reason: `is not known: give one of ${known.join(", ")}` }]
                : shapeProblems(path, inner, wanted);
        }),
    ];
}
