import Ajv from "ajv";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PROJECT } from "../../../tools/paths";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const validate = new Ajv({ allErrors: true }).compile(JSON.parse(read("Pulumi.schema.json")) as object);

const stackFiles = execFileSync("git", ["ls-files", "Pulumi.*.yaml", "examples/**/Pulumi.*.yaml"], {
    cwd: PROJECT,
    encoding: "utf8",
})
    .trim()
    .split("\n");

/** Whether stack config is valid for an editor. */
function isValid(config: { [key: string]: unknown }): boolean {
    const entries = Object.entries(config).map(([key, value]): [string, unknown] => [`object-store:${key}`, value]);
    return validate({ config: Object.fromEntries(entries) }) as boolean;
}

describe("the schema of stack files", () => {
    test.each(stackFiles)("allows %s", (file) => {
        validate(parse(read(file)));
        expect(validate.errors ?? []).toEqual([]);
    });

    test("is named by each stack file, for editors", () => {
        for (const file of stackFiles.filter((path) => !path.includes("/"))) {
            expect(read(file)).toMatch(/^# yaml-language-server: \$schema=Pulumi\.schema\.json$/m);
        }
    });

    test("allows encrypted values, names of files, and numbers as `pulumi config set` writes them", () => {
        const pem = { secure: "v1:abc" };
        expect(isValid({ certificate: { pem }, accessKey: pem, nodeCount: "4", egress: "true" })).toBe(true);
        expect(isValid({ certificate: { pem: { file: "certificate.pem" } }, environment: { A: 5 }, cpus: 1.5 })).toBe(
            true,
        );
    });

    test.each([
        { clusterName: "store" },
        { nodeCount: 0 },
        { nodeCount: "four" },
        { logLevel: "loud" },
        { pools: [{ drivesPerNode: 1 }] },
        { buckets: { photos: { qouta: 1 } } },
        { proxyNumber: 1 },
    ])("refuses %j", (config) => {
        expect(isValid(config)).toBe(false);
    });
});
