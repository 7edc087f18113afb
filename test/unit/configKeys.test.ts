import * as pulumi from "@pulumi/pulumi";
import { ACME_CONFIG_KEYS } from "../../configKeys";
import { ConfigReader } from "../../configReader";

/** What the reader says of a value of `acme`. */
function problemsOf(acme: object): string[] {
    pulumi.runtime.setAllConfig({ "object-store:acme": JSON.stringify(acme) });
    const reader = new ConfigReader<"acme">(new pulumi.Config("object-store"), ["acme"]);
    reader.acme("acme");
    return reader.problems.map(({ propertyPath, reason }) => `${propertyPath} ${reason}`);
}

test("the documented keys of acme are those that stack config takes", () => {
    const known = (problem = "") => (/ give one of (.*)$/.exec(problem)?.[1] ?? "").split(", ");
    const taken = known(problemsOf({ unknown: 1 })[0]).flatMap((key) => {
        const inner = problemsOf({ [key]: { unknown: 1 } }).find((problem) => problem.includes(`${key}.unknown `));
        return inner === undefined ? [key] : known(inner).map((name) => `${key}.${name}`);
    });
    expect(taken.sort()).toEqual(Object.keys(ACME_CONFIG_KEYS).sort());
});
