import { secretVariable, variable, type Rule } from "./rule";

const test = (name: string) => ({ file: "node.test.ts", name: `the nodes' containers ${name}` });
const environment = "`components/store/nodeEnvironment.ts`, nodeEnvironment";
const secrets = "`components/store/nodeEnvironment.ts`, nodeSecrets";

/** Part 1: listeners, variables, and the location of the data. */
export const serviceRules: Rule[] = [
    {
        id: "1 S3 listener",
        rule: "One process serves S3 on :9000",
        where: environment,
        test: test("S3 is served on port 9000, the console on port 9001"),
        broken: variable("SERVICE_ADDRESS", ":9100"),
    },
    {
        id: "1 console listener",
        rule: "and the console on :9001",
        where: environment,
        test: test("S3 is served on port 9000, the console on port 9001"),
        broken: variable("SERVICE_CONSOLE_ADDRESS", ":9101"),
    },
    {
        id: "1 access key",
        rule: "SERVICE_ACCESS_KEY, from a private file",
        where: secrets,
        test: test("SERVICE_ACCESS_KEY has its value"),
        broken: secretVariable("SERVICE_ACCESS_KEY", "another"),
    },
    {
        id: "1 secret key",
        rule: "SERVICE_SECRET_KEY, from a private file",
        where: secrets,
        test: test("SERVICE_SECRET_KEY has its value"),
        broken: secretVariable("SERVICE_SECRET_KEY", "another-secret"),
    },
    {
        id: "1 console enable",
        rule: 'SERVICE_CONSOLE_ENABLE is "true"',
        where: environment,
        test: test("SERVICE_CONSOLE_ENABLE has its value"),
        broken: variable("SERVICE_CONSOLE_ENABLE", "false"),
    },
    {
        id: "1 address",
        rule: 'SERVICE_ADDRESS is ":9000"',
        where: environment,
        test: test("SERVICE_ADDRESS has its value"),
        broken: variable("SERVICE_ADDRESS", "0.0.0.0:9000"),
    },
    {
        id: "1 console address",
        rule: 'SERVICE_CONSOLE_ADDRESS is ":9001"',
        where: environment,
        test: test("SERVICE_CONSOLE_ADDRESS has its value"),
        broken: variable("SERVICE_CONSOLE_ADDRESS", "0.0.0.0:9001"),
    },
    {
        id: "1 log level",
        rule: 'SERVICE_OBS_LOGGER_LEVEL is "error"',
        where: environment,
        test: test("log files are written to the log directory, at the level asked for"),
        broken: variable("SERVICE_OBS_LOGGER_LEVEL", "info"),
    },
    {
        id: "1 log directory",
        rule: "SERVICE_OBS_LOG_DIRECTORY is /logs",
        where: environment,
        test: test("log files are written to the log directory, at the level asked for"),
        broken: variable("SERVICE_OBS_LOG_DIRECTORY", "/tmp"),
    },
    {
        id: "1 data",
        rule: "Data lies under /data, on a named persistent volume",
        where: "`components/node/deployNode.ts`, docker.Volume",
        test: test("data lies on a named volume below /data, and outlives its container"),
        broken: {
            change: "a tmpfs in place of the volume",
            node: (inputs) => ({
                ...inputs,
                volumes: [...(inputs.volumes as object[])].slice(1),
                tmpfs: { ...(inputs.tmpfs as object), "/data/drive1": "size=64m,mode=0777" },
            }),
        },
    },
    {
        id: "1 no secret in source control",
        rule: "Neither keys nor the certificate's private key are committed",
        where: "`tools/pulumi/workspace.ts`, passphrase",
        test: {
            file: "tools.test.ts",
            name: "npm run up, pulumi and down, in a checkout of its own npm run pulumi runs the CLI on the same stack",
        },
        broken: { notBroken: "no line of haproxy.cfg and no container input can break it" },
    },
];
