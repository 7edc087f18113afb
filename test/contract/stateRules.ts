import { line, type Rule } from "./rule";

const test = (backend: string, name: string) => ({
    file: "checks.test.ts",
    name: `health checks and server states the backend ${backend} ${name}`,
});
const states = (name: string) => ({ file: "checks.test.ts", name: `health checks and server states ${name}` });
const server = "`components/haproxyConfig/defaults.ts`, default-server";

/** Part 3: a server as the proxy sees it. */
export const stateRules: Rule[] = [
    {
        id: "3 fall",
        rule: "Down after 3 failed checks in a row",
        where: server,
        test: test("s3", "counts 201, 204, 302, 503 and an answer after 6 s as failed: down after three checks"),
        broken: line(/fall 3/, "fall 2"),
    },
    {
        id: "3 no traffic",
        rule: "A server that is down gets no traffic",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: test("s3", "sends no request to a node that is down"),
        broken: line(/check inter 10s fall 3/, "check inter 10s fall 30"),
    },
    {
        id: "3 rise",
        rule: "Up after 2 good checks in a row",
        where: server,
        test: test("s3", "takes a node back after two checks"),
        broken: line(/rise 2/, "rise 1"),
    },
    {
        id: "3 rise after maintenance",
        rule: "also when maintenance ended",
        where: server,
        test: states("a node that leaves maintenance gets traffic after two checks"),
        broken: line(/ init-state fully-down/, ""),
    },
    {
        id: "3 rise after recreation",
        rule: "also when the container was recreated",
        where: server,
        test: states("a container that is recreated gets traffic after two checks"),
        broken: line(/rise 2/, "rise 1"),
    },
    {
        id: "3 exactly 200",
        rule: "Nothing but status 200 is a success",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: test("s3", "counts 201, 204, 302, 503 and an answer after 6 s as failed: down after three checks"),
        broken: line(/http-check expect status 200/, "http-check expect rstatus ^[23]"),
    },
    {
        id: "3 exactly 200, console",
        rule: "in the console's backend too",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: test("console", "counts 201, 204, 302, 503 and an answer after 6 s as failed: down after three checks"),
        broken: line(/http-check expect status 200/, "http-check expect rstatus ^[23]"),
    },
    {
        id: "3 interval",
        rule: "A check each 10 s, in every state",
        where: server,
        test: test("s3", "begins a check 10 s after the last one ended, in every state"),
        broken: line(/inter 10s/, "inter 10s downinter 4s"),
    },
    {
        id: "3 reload",
        rule: "States survive a reload",
        where: "`components/proxy/proxyContainer.ts`, RELOAD",
        test: states("a reload keeps every state: down stays down, drained stays drained, and no good node turns down"),
        broken: line(/load-server-state-from-file global/),
    },
];
