import * as pulumi from "@pulumi/pulumi";
import { ACME_CONFIG_KEYS, CONFIG_KEYS } from "../../config/keys";
import { ConfigReader } from "../../config/reader";

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

/** What the reader says of a whole config. */
function problemsOfConfig(config: { [key: string]: string }, read: (reader: ConfigReader<string>) => void): string[] {
    pulumi.runtime.setAllConfig(config);
    const reader = new ConfigReader<string>(new pulumi.Config("object-store"), Object.keys(CONFIG_KEYS));
    read(reader);
    return reader.problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
}

test("a mistyped key is told which one was meant; what is near none, all that there are", () => {
    const config = { "object-store:nodecuont": "4", "object-store:something": "1" };
    const [near, far] = problemsOfConfig(config, () => undefined);
    expect(near).toBe("nodecuont: is no key of this program: did you mean nodeCount?");
    expect(far).toContain("something: is no key of this program: give one of profile, image");
});

test("nested values of a map are refused by their names, never shown, and others become text", () => {
    const value = JSON.stringify({ A: { secret: "hidden" }, B: ["hidden"], C: null, D: 5, E: true, F: "text" });
    let texts: unknown;
    const problems = problemsOfConfig({ "object-store:secretEnvironment": value }, (reader) => {
        texts = reader.texts("secretEnvironment");
    });
    expect(texts).toEqual({ D: "5", E: "true", F: "text" });
    expect(problems).toEqual([
        expect.stringMatching(/^secretEnvironment.A: is a map: give text/),
        expect.stringMatching(/^secretEnvironment.B: is a list: give text/),
        expect.stringMatching(/^secretEnvironment.C: is nothing: give text/),
    ]);
    expect(problems.join()).not.toContain("hidden");
});

test("a file's key that holds the PEM itself is refused without showing it", () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n";
    pulumi.runtime.setAllConfig({ "object-store:certificateFile": pem });
    const reader = new ConfigReader<"certificateFile">(new pulumi.Config("object-store"), ["certificateFile"]);
    expect(reader.file("certificateFile")).toBeUndefined();
    expect(reader.problems).toEqual([
        {
            propertyPath: "certificateFile",
            reason: expect.stringMatching(/^holds a PEM itself: give the path/) as string,
        },
    ]);
});
