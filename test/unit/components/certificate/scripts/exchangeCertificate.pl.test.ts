import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FrontEnd, SILENCE, now, ORDER, HOSTNAME } from "../../../fakes/exchangingFrontEnd";

describe("the exchange of a certificate between proxies", () => {
    let folder: string;
    let frontEnds: { a: FrontEnd; b: FrontEnd; c: FrontEnd };
    let proxies: Server[];

    /** The proxies: each sends what it is asked at its own socket to the proxy that the path names. */
    beforeEach(async () => {
        folder = mkdtempSync(join(tmpdir(), "exchange-"));
        const make = (name: string) => new FrontEnd(name, join(folder, name));
        frontEnds = { a: make("a"), b: make("b"), c: make("c") };
        proxies = await Promise.all(
            Object.values(frontEnds).map(async ({ peersSocket }) => {
                const server = createServer((incoming, outgoing) => {
                    const [, name = "", what = ""] = (incoming.url ?? "").split("/");
                    const target = Object.values(frontEnds).find((one) => one.name === name && one.reachable);
                    const fail = () => outgoing.writeHead(503).end();
                    if (target === undefined) {
                        fail();
                        return;
                    }
                    request({ socketPath: target.exchangeSocket, path: `/${what}`, agent: false }, (answer) => {
                        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
                        answer.pipe(outgoing);
                    })
                        .on("error", fail)
                        .end();
                });
                await new Promise<void>((resolve) => server.listen(peersSocket, resolve));
                return server;
            }),
        );
    });

    afterEach(async () => {
        await Promise.all(Object.values(frontEnds).map((one) => one.remove()));
        proxies.forEach((server) => server.close());
        rmSync(folder, { recursive: true });
    });

    const until = async (holds: () => boolean) => {
        for (let round = 0; !holds() && round < 400; round += 1) {
            await sleep(50);
        }
        const output = Object.values(frontEnds).map((one) => `${one.name}: ${one.output}`);
        expect({ holds: holds(), output }).toMatchObject({ holds: true });
    };

    /** Waits for as long as a proxy needs to be taken for silent, and some rounds more. */
    const patience = () => sleep((SILENCE + 1.5) * 1000);

    test("the first proxy has the turn to order, and no other one has it while the first answers", async () => {
        const { a, b } = frontEnds;
        [a, b].forEach((one) => one.start("a b"));
        await until(() => a.hasTurn);
        await patience();
        expect([a.hasTurn, b.hasTurn]).toEqual([true, false]);
        expect(a.output).toContain("this proxy orders");
        expect(b.output).toContain("proxy a orders");
    });

    test.each([
        ["doesn't answer", (a: FrontEnd) => (a.reachable = false)],
        ["has lost its client", (a: FrontEnd) => a.die()],
    ])("the next one has the turn once the first %s for some time, and not earlier", async (_, lose) => {
        const { a, b, c } = frontEnds;
        [a, b, c].forEach((one) => one.start("a b c"));
        await until(() => b.output.includes("proxy a orders") && c.output.includes("proxy a orders"));
        await patience();
        const lost = Date.now();
        lose(a);
        await until(() => b.hasTurn);
        expect(Date.now() - lost).toBeGreaterThan((SILENCE - 1) * 1000);
        await patience();
        expect([b.hasTurn, c.hasTurn]).toEqual([true, false]);
    });

    test("a proxy that comes back waits until the one that orders is done, and takes its certificate", async () => {
        const { a, b } = frontEnds;
        b.start("a b");
        await until(() => b.hasTurn);
        b.note("ordering", String(now()));
        a.start("a b");
        await patience();
        expect(a.hasTurn).toBe(false);
        expect(a.output).toContain("proxy b orders");
        const digest = await b.obtain();
        rmSync(b.path("ordering"));
        await until(() => a.taken === digest);
    });

    test("a note of an order that was given up long ago doesn't keep the turn", async () => {
        const { a, b } = frontEnds;
        b.note("ordering", String(now() - 3600));
        [a, b].forEach((one) => one.start("a b"));
        await until(() => a.hasTurn);
    });

    test("a certificate is taken with its account by those that have an older one or none", async () => {
        const { a, b, c } = frontEnds;
        await b.obtain(-2);
        const digest = await a.obtain();
        a.register();
        [a, b].forEach((one) => one.start("a b c"));
        await until(() => b.taken === digest);
        c.start("a b c");
        await until(() => c.taken === digest);
        expect(c.read("taken/order")).toBe(ORDER);
        expect(c.read("taken/from")).toBe("a");
        expect([b.read("taken/replaces"), c.read("taken/replaces")]).toEqual([b.read("ready"), ""]);
        expect(c.read("taken/accounts/ca/me@example.com/keys/me@example.com.key")).toBe("key");
        expect(existsSync(a.path("taken"))).toBe(false);
    });

    test.each<[string, (b: FrontEnd) => Promise<string>]>([
        ["an older one", (b: FrontEnd) => b.obtain(-3)],
        ["an expired one", (b: FrontEnd) => b.obtain(-0.01, -0.001)],
        ["one of the far future", (b: FrontEnd) => b.obtain(20)],
        [
            "one for other settings",
            async (b: FrontEnd) => {
                const digest = await b.obtain();
                b.note("ready", `${digest} ${ORDER} today`);
                return digest;
            },
        ],
        [
            "one that is being written",
            async (b: FrontEnd) => {
                const digest = await b.obtain();
                b.note(`certificates/${HOSTNAME}.key`, "another");
                return digest;
            },
        ],
    ])("%s is not taken", async (_, give) => {
        const { a, b } = frontEnds;
        await a.obtain(-2);
        await give(b);
        [a, b].forEach((one) => one.start("a b"));
        await until(() => a.hasTurn);
        await patience();
        expect(a.taken).toBeUndefined();
    });

    test("an account is taken from an earlier proxy before there is a certificate, and never from a later one", async () => {
        const { a, b, c } = frontEnds;
        [a, b, c].forEach((one) => one.start("a b c"));
        b.register();
        await until(() => existsSync(c.path("taken")));
        expect(c.read("taken/from")).toBe("b");
        expect(c.taken).toBeUndefined();
        await patience();
        expect(existsSync(a.path("taken"))).toBe(false);
    });

    test("what isn't a file of an account or a certificate is refused", async () => {
        const { a, b } = frontEnds;
        const digest = "0".repeat(64);
        const state = `order ${ORDER}\nalive 1\nbusy 0\nfailures 0\naccount 1\ncertificate ${digest} ${now() - 9} ${now() + 9999}\n`;
        let asked = 0;
        const impostor = createServer((incoming, outgoing) => {
            asked += incoming.url === "/files" ? 1 : 0;
            outgoing.end(incoming.url === "/files" ? "accounts/../../outside/keys/x.key 1\nx\n" : state);
        });
        await new Promise<void>((resolve) => impostor.listen(b.exchangeSocket, resolve));
        a.start("a b");
        await until(() => asked > 2);
        expect(existsSync(a.path("taken"))).toBe(false);
        expect(existsSync(join(folder, "a", "outside"))).toBe(false);
        // Someone who announces what can't be had must not keep others from ordering.
        await until(() => a.hasTurn);
        impostor.close();
    });

    test.each<[string, number | undefined, boolean]>([
        ["without a certificate the next one orders", undefined, true],
        ["if it has little time left, too", 5, true],
        ["if there is time left, it doesn't", 80, false],
    ])("the first one fails again and again: %s", async (_, end, takesTurn) => {
        const { a, b } = frontEnds;
        if (end !== undefined) {
            await b.obtain(end - 90, end);
        }
        a.note("failures", "3");
        [a, b].forEach((one) => one.start("a b"));
        await patience();
        expect(b.hasTurn).toBe(takesTurn);
    });

    test("a proxy that is alone orders", async () => {
        const { a } = frontEnds;
        a.start("a");
        await until(() => a.hasTurn);
    });

    test("one that starts asks the others first, as far as they answer", async () => {
        const { a, b } = frontEnds;
        const digest = await b.obtain();
        b.start("a b");
        await until(() => existsSync(b.exchangeSocket));
        a.start("a b");
        await until(() => a.hasTurn);
        // Its client takes this over before it orders.
        expect(a.taken).toBe(digest);
    });
});
