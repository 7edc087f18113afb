import type { StackConfig } from "../../../../tools/pulumi/stackConfig";
import { refuseOwnBackend } from "../../../../tools/stack/ownBackend";

const BACKEND = "s3://pulumi-state?endpoint=https://s3.example.com&s3ForcePathStyle=true";

describe("refuseOwnBackend", () => {
    const config = (values: { [key: string]: string }): StackConfig =>
        Object.assign((key: string) => values[key], { isSecret: () => false });
    const example = config({ s3Host: "S3.example.com" });

    test.each<[string, string, StackConfig]>([
        ["its own hostname", BACKEND, example],
        ["its own port", BACKEND.replace(".com", ".com:8443"), config({ s3Host: "s3.example.com", httpsPort: "8443" })],
        ["the hostname of its bucket", BACKEND.replace("//s3.", "//pulumi-state.s3."), example],
        ["an endpoint without a scheme", BACKEND.replace("https://", ""), example],
        ["the default hostname", BACKEND.replace("s3.example.com", "s3.localhost"), config({})],
    ])("refuses a backend with %s", (_, backend, values) => {
        expect(() => refuseOwnBackend(backend, values, [], {})).toThrow("in a bucket of its own store");
    });

    test("refuses a backend whose endpoint is in the environment", () => {
        for (const name of ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]) {
            const environment = { [name]: "https://s3.example.com" };
            expect(() => refuseOwnBackend("s3://pulumi-state", example, [], environment)).toThrow("of its own store");
        }
        const emptyFirst = { AWS_ENDPOINT_URL_S3: "", AWS_ENDPOINT_URL: "https://s3.example.com" };
        expect(() => refuseOwnBackend("s3://pulumi-state", example, [], emptyFirst)).toThrow("of its own store");
    });

    test("refuses a backend in an additional store", () => {
        const additional = [{ name: "media", s3Host: "s3.example.com", consoleHost: "console.example.com" }];
        expect(() => refuseOwnBackend(BACKEND, config({ s3Host: "other" }), additional)).toThrow("s3.example.com:443");
    });

    test.each<[string, string, StackConfig]>([
        ["another hostname", BACKEND, config({ s3Host: "s3.example.org" })],
        ["another port", BACKEND, config({ s3Host: "s3.example.com", httpsPort: "8443" })],
        ["no endpoint", "s3://pulumi-state", example],
        ["files", "file:///s3.example.com", example],
        ["a service", "https://s3.example.com", example],
    ])("accepts a backend with %s", (_, backend, values) => {
        expect(() => refuseOwnBackend(backend, values, undefined, {})).not.toThrow();
    });
});
