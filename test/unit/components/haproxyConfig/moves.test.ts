import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import { renderInitialServerStates } from "../../../../components/haproxyConfig/serverState";
import { base, store } from "../../fakes/haproxyArgs";

describe("a store that is moved", () => {
    const move = { name: "move-1", to: [{ address: "10.0.0.1", port: 443 }], trustedFile: "moved-ca.pem", done: false };
    const linesOf = (done: boolean) =>
        renderHaproxyConfig({ ...base, stores: [{ ...store, move: { ...move, done } }] })
            .split("\n")
            .map((line) => line.trim());

    test("until it is done: writes are held while it is paused, counted, and forwarded once the running proxy is switched", () => {
        const lines = linesOf(false);
        const held = lines.filter((line) => line.startsWith("http-request pause 500ms "));
        expect(held).toHaveLength(56);
        expect(new Set(held).size).toBe(1);
        expect(held[0]).toMatch(/ if s3_host changing held or console_host changing held$/);
        expect(lines).toContain("acl changing method POST PUT DELETE PATCH");
        expect(lines).toContain("tune.max-rules-at-once 1000000");
        expect(lines).toContain("lua-load endHangingRequests.lua 11 s3,moved");
        // Each look is at the time of then, so that a pause that has ended by itself holds nothing.
        const looks = lines.flatMap((line, at) => (line.startsWith("http-request set-var(txn.now) date") ? [at] : []));
        expect(looks.slice(0, 56).map((at) => lines[at + 1])).toEqual(held);
        const [refused, counted, routed, own] = [
            "http-request return status 503 content-type application/xml hdr Retry-After 5",
            "http-request track-sc2 str(changes) table changes if s3_host changing or console_host changing",
            "use_backend moved if s3_host forwarded or console_host forwarded",
            "use_backend s3 if s3_host",
        ].map((start) => lines.findIndex((line) => line.startsWith(start)));
        const order = [looks[0], lines.indexOf(held[0] ?? ""), looks[56], refused, counted, routed, own];
        expect(order).toEqual([...order].sort((a = 0, b = 0) => a - b));
        expect(order[0]).toBeGreaterThan(0);
    });

    test("of a store with a hyphen in its name has rules that HAProxy can read", () => {
        const text = renderHaproxyConfig({ ...base, stores: [{ ...store, name: "media-b", move }] });
        const variables = text.match(/(?<=var\()[^)]+/g) ?? [];
        // Names of variables have letters, digits, dots and underscores alone (HAProxy manual, section 2.8).
        expect(variables.filter((name) => !/^[a-z]+(\.[A-Za-z0-9_]+)+$/.test(name))).toEqual([]);
        expect(text).toContain("acl media-b:held str(paused:move-1),map_str_int(");
    });

    test("once it is done: everything is forwarded, over TLS that is verified", () => {
        const lines = linesOf(true);
        expect(lines).toContain("use_backend moved if s3_host or console_host");
        expect(lines.filter((line) => /pause 500ms|changes|opt@|max-rules/.test(line))).toEqual([]);
        expect(lines).toContain(
            "server front-end1 10.0.0.1:443 ssl verify required ca-file moved-ca.pem sni req.fhdr(host),host_only check-sni s3.example.com alpn http/1.1",
        );
    });

    test("a proxy that starts serves from the other store at once", () => {
        const states = renderInitialServerStates([{ ...store, move }])
            .split("\n")
            .slice(2, -1);
        expect(states.at(-1)).toMatch(/^3 moved 1 front-end1 10\.0\.0\.1 2 0 .* 443 - 1 /);
        expect(renderInitialServerStates([store])).toBe(
            ["1", renderInitialServerStates([store]).split("\n")[1], ...states.slice(0, -1), ""].join("\n"),
        );
    });
});
