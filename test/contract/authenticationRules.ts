import { line, moreIn, secretVariable, type Rule } from "./rule";

const standIn = (name: string) => ({
    file: "standIn.test.ts",
    name: `the contract stand-in, which other tests look through ${name}`,
});

/** Part 5. */
export const authenticationRules: Rule[] = [
    {
        id: "5.1",
        rule: "S3 requests are signed, Signature Version 4, over path and host",
        where: "`components/haproxyConfig/headers.ts`, headerRules",
        test: {
            file: "signaturesMinio.test.ts",
            name: "signed requests on MinIO HTTP/1.1: a key in any spelling gets the store's own answers",
        },
        broken: line(/http-request del-header te$/, "http-request del-header authorization"),
    },
    {
        id: "5.2",
        rule: "The root credentials are those configured",
        where: "`components/node/credentials.ts`, Credentials",
        test: standIn("keeps what the AWS SDK writes, and refuses a wrong secret key"),
        broken: secretVariable("SERVICE_SECRET_KEY", "another-secret"),
    },
    {
        id: "5.3",
        rule: "Health is asked for without credentials",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: {
            file: "checks.test.ts",
            name: "health checks and server states the backend s3 asks for its health path, without credentials",
        },
        broken: line(/hdr Host localhost/, "hdr Host localhost hdr Authorization secret"),
    },
    {
        id: "5.4 browser",
        rule: "The console is signed into in the browser at its hostname",
        where: "`components/store/serviceProfile.ts`, restrictedPaths",
        test: {
            file: "browser.test.ts",
            name: "the console in a browser is trusted, by the stack's CA, and lets the user in",
        },
        broken: moreIn("backend console", "http-request deny if { path_beg /api/v1/login }"),
    },
    {
        id: "5.4 OpenID Connect",
        rule: "OpenID Connect sign-in is supported; its state is on one node",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: {
            file: "signIn.test.ts",
            name: "signing in to a cluster of the contract stand-in all sign-ins succeed, each on one node, on every node some",
        },
        broken: line(/cookie \S+ insert indirect nocache httponly secure/, "hash-type consistent"),
    },
];
