import { accessLogDefaults, accessLogGlobal, accessLogRules } from "../../../../components/haproxyConfig/accessLog";

/** What the log has of the path. */
const PATH_RULE = expect.stringMatching(/^http-request set-var\(txn\.log_path\) path,bytes\(0,\d+\)$/) as string;

test("text is HAProxy's own log format, and no response is changed", () => {
    expect(accessLogGlobal("text")).toEqual(["log stdout format raw local0 info"]);
    expect(accessLogDefaults("text")).toEqual([expect.stringMatching(/^log-format "%ci:%cp \[%tr\] /)]);
    expect(accessLogRules({ accessLog: "text", stores: [] })).toEqual([PATH_RULE]);
});

test("errors is the same format, for failed requests only", () => {
    expect(accessLogGlobal("errors")).toEqual(accessLogGlobal("text"));
    expect(accessLogDefaults("errors")).toEqual([...accessLogDefaults("text"), "option dontlog-normal"]);
    expect(accessLogRules({ accessLog: "errors", stores: [] })).toEqual([PATH_RULE]);
});

test("JSON lines are logged for requests, and for messages that can't be parsed as one", () => {
    expect(accessLogDefaults("json")).toEqual([
        'unique-id-format "%[uuid(7)]"',
        expect.stringMatching(/^log-format "%\{\+json\}o %\(time\)/),
        expect.stringMatching(/^error-log-format "%\{\+json\}o %\(time\)/),
    ]);
});

test("each field of a JSON line has a unique name", () => {
    for (const format of accessLogDefaults("json").slice(1)) {
        const names = [...format.matchAll(/%\((\w+)(?::sint)?\)/g)].map(([, name]) => name);
        expect(names.length).toBeGreaterThan(5);
        expect(new Set(names).size).toBe(names.length);
    }
});
