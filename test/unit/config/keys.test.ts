import * as pulumi from "@pulumi/pulumi";
import { ACME_CONFIG_KEYS, CONFIG_KEYS } from "../../../config/keys";
import { ConfigReader } from "../../../config/reader";

/** The reader's problems with a value of `acme`. */
function problemsOf(acme: object): string[] {
    pulumi.runtime.setAllConfig({ "object-store:acme": JSON.stringify(acme) });
    const reader = new ConfigReader<"acme">(new pulumi.Config("object-store"), ["acme"]);
    reader.acme("acme");
    return reader.problems.map(({ propertyPath, reason }) => `${propertyPath} ${reason}`);
}

test("the documented keys of acme are the ones that stack config accepts", () => {
    const known = (problem = "") => (/ give one of (.*)$/.exec(problem)?.[1] ?? "").split(", ");
    const taken = known(problemsOf({ unknown: 1 })[0]).flatMap((key) => {
        const inner = problemsOf({ [key]: { unknown: 1 } }).find((problem) => problem.includes(`${key}.unknown `));
        return inner === undefined ? [key] : known(inner).map((name) => `${key}.${name}`);
    });
    expect(taken.sort()).toEqual(Object.keys(ACME_CONFIG_KEYS).sort());
});

/** The reader's problems with a whole config. */
function problemsOfConfig(config: { [key: string]: string }, read: (reader: ConfigReader<string>) => void): string[] {
    pulumi.runtime.setAllConfig(config);
    const reader = new ConfigReader<string>(new pulumi.Config("object-store"), Object.keys(CONFIG_KEYS));
    read(reader);
    return reader.problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
}

test("a mistyped key is refused with the closest known key; a key without a close one, with all keys", () => {
    const config = { "object-store:nodecuont": "4", "object-store:something": "1" };
    const [near, far] = problemsOfConfig(config, () => undefined);
    expect(near).toBe("nodecuont: is not a config key of this program: did you mean nodeCount?");
    expect(far).toContain("something: is not a config key of this program: give one of profile, image");
});

test("nested values of a map are refused by name and never shown; other values become text", () => {
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

test("variables of a DNS provider become text; nested ones are refused by name and never shown", () => {
    const acme = (dns: object) => {
        pulumi.runtime.setAllConfig({ "object-store:acme": JSON.stringify({ termsAgreed: true, dns }) });
        const reader = new ConfigReader<"acme">(new pulumi.Config("object-store"), ["acme"]);
        return { args: reader.acme("acme"), problems: reader.problems };
    };
    const environment = { DNSUPDATE_TTL: 60, DNSUPDATE_NAMESERVER: "192.0.2.53" };
    expect(acme({ provider: "rfc2136", environment }).args?.dns).toEqual({
        provider: "rfc2136",
        environment: { DNSUPDATE_TTL: "60", DNSUPDATE_NAMESERVER: "192.0.2.53" },
    });
    const { problems } = acme({ environment: "hidden", secretEnvironment: { A: { b: "hidden" } } });
    expect(problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`)).toEqual([
        expect.stringMatching(/^acme\.dns\.provider: is missing/),
        expect.stringMatching(/^acme\.dns\.environment: is not a map of names to values/),
        expect.stringMatching(/^acme\.dns\.secretEnvironment\.A: is a map: give text/),
    ]);
    expect(JSON.stringify(problems)).not.toContain("hidden");
});

test("a key for a file with the PEM itself as value is refused without showing it", () => {
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
