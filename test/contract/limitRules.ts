import { line, type Rule } from "./rule";

const proxy = (name: string) => ({ file: "proxy.test.ts", name: `the proxy of one node ${name}` });

function timeout(name: string, value: string, other: string): Rule {
    return {
        id: `8 ${name}`,
        rule: `Timeout ${name}: ${value}`,
        where: "`components/haproxyConfig/defaults.ts`, defaultsSection",
        test: proxy(`timeout ${name} is ${value}, for every frontend and backend`),
        broken: line(new RegExp(`timeout ${name} ${value}`), `timeout ${name} ${other}`),
    };
}

/** Part 8: limits. The numbers of health checks are those of parts 1 and 3. */
export const limitRules: Rule[] = [
    timeout("connect", "10s", "9s"),
    timeout("client", "1h", "59m"),
    timeout("server", "1h", "59m"),
    timeout("http-request", "30s", "29s"),
    timeout("tunnel", "1h", "59m"),
    timeout("check", "5s", "4s"),
    {
        id: "8 check timeout counts",
        rule: "A check without an answer for 5 s has failed",
        where: "`components/haproxyConfig/defaults.ts`, defaultsSection",
        test: {
            file: "checks.test.ts",
            name: "health checks and server states the backend s3 counts 201, 204, 302, 503 and an answer after 6 s as failed: down after three checks",
        },
        broken: line(/timeout check 5s/, "timeout check 8s"),
    },
];
