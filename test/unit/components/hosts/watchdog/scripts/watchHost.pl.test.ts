import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { script } from "../../../../../../components/docker/script";

const ENGINE = join(__dirname, "../../../../../../components/hosts/watchdog");

const ID = { node: "a".repeat(64), proxy: "b".repeat(64) };

/** A container as the engine describes it. A health check's output has quotes and braces, as JSON has. */
const container = (name: string, error: string, policy = "unless-stopped") =>
    JSON.stringify({
        Id: ID.node,
        Args: ["-c", '"State":{"Error":"of a command"}'],
        State: {
            Status: "exited",
            Running: false,
            ExitCode: 137,
            Health: { Status: "unhealthy", Log: [{ Output: '{"Error":"of a check"} }' }] },
            Error: error,
            FinishedAt: "2026-11-24T00:00:00Z",
        },
        Name: `/${name}`,
        HostConfig: { RestartPolicy: { MaximumRetryCount: 0, Name: policy } },
        Mounts: [{ Type: "volume", Name: "drive1" }],
        NetworkSettings: { Networks: { nodes: { NetworkID: "c".repeat(64) } } },
    });

const NO_QUORUM =
    'attaching to network failed, make sure your network options are correct: "context deadline exceeded"';

/** Time of an engine in another time zone, and the same in nanoseconds. */
const CREATED = "2026-11-25T10:31:55.174033996+01:00";
const CREATED_NANOSECONDS = 1795599115_174033996n;

/** The end of a container, as an engine remembers it. */
const ending = (id: string, nanoseconds: bigint) =>
    `{"Type":"container","Action":"die","Actor":{"ID":"${id}","Attributes":{"exitCode":"0","name":"x"}},` +
    `"scope":"local","time":${nanoseconds / 1_000_000_000n},"timeNano":${nanoseconds}}\n`;

/** The program of a watchdog, with a simulated engine at a socket. */
describe("a watchdog", () => {
    let folder: string;
    let engine: Server;
    let asked: string[];
    /** Containers that don't run, by the label that they are listed for. */
    let ended: { [label: string]: string[] };
    let described: string;
    let started: { status: number; body: string };
    /** When the engine made its default network: after it has ended containers at its start, and before it answers. */
    let bridge: { status: number; body: string };
    /** Ends of containers that the engine remembers, in nanoseconds, by their ids. */
    let ends: [id: string, nanoseconds: bigint][];

    beforeEach(async () => {
        folder = mkdtempSync(join(tmpdir(), "watchdog-"));
        asked = [];
        ended = { "cluster=store": [ID.node] };
        described = container("store-pool1-node1", NO_QUORUM);
        started = { status: 204, body: "" };
        bridge = { status: 200, body: JSON.stringify({ Name: "bridge", Created: CREATED }) };
        ends = [];
        engine = createServer(({ method, url = "" }, response) => {
            const path = decodeURIComponent(url);
            asked.push(`${method} ${path}`);
            if (path.startsWith("/containers/json")) {
                const { label, status } = JSON.parse(/filters=(.*)$/.exec(path)?.[1] ?? "") as {
                    label: string[];
                    status: string[];
                };
                expect(status).toEqual(["created", "exited"]);
                const found = (ended[label[0] ?? ""] ?? []).map((Id) => ({ Id, ImageID: `sha256:${ID.proxy}` }));
                response.end(JSON.stringify(found));
            } else if (path === "/networks/bridge") {
                response.writeHead(bridge.status).end(bridge.body);
            } else if (path.startsWith("/events")) {
                const { since, until, filters } = Object.fromEntries(new URL(`http://engine${url}`).searchParams);
                expect(since).toBe("0");
                expect(Number(until)).toBeLessThanOrEqual(Date.now() / 1000);
                expect(JSON.parse(filters ?? "")).toEqual({ type: ["container"], event: ["die"] });
                response.end(ends.map(([id, time]) => ending(id, time)).join(""));
            } else if (method === "GET") {
                response.end(described);
            } else {
                response.writeHead(started.status).end(started.body);
            }
        });
        await new Promise<void>((resolve) => engine.listen(join(folder, "engine.sock"), resolve));
    });

    afterEach(async () => {
        await new Promise((resolve) => engine.close(resolve));
        rmSync(folder, { recursive: true });
    });

    const heartbeat = () => join(folder, "round");

    const run = (name: string, ...args: string[]): Promise<{ code: number; output: string }> => {
        const env = { ENGINE_SOCKET: join(folder, "engine.sock"), HEARTBEAT: heartbeat(), ROUND_SECONDS: "0" };
        return promisify(execFile)("perl", ["-e", script(ENGINE, name), ...args], { env }).then(
            ({ stdout }) => ({ code: 0, output: stdout }),
            (error: unknown) => {
                const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
                return { code, output: stdout + stderr };
            },
        );
    };

    const round = () => run("watchHost.pl", "cluster=store", "front-end=store-a");
    const starts = () => asked.filter((request) => request.startsWith("POST"));

    test("starts a container that the engine couldn't start, and says so", async () => {
        expect(await round()).toEqual({
            code: 0,
            output: `store-pool1-node1: started; the engine couldn't: ${NO_QUORUM}\n`,
        });
        expect(starts()).toEqual([`POST /containers/${ID.node}/start`]);
    });

    test("finds containers by each of its labels", async () => {
        ended = { "front-end=store-a": [ID.proxy] };
        await round();
        expect(starts()).toEqual([`POST /containers/${ID.proxy}/start`]);
    });

    test("leaves a container alone that has no start error: it was stopped explicitly", async () => {
        described = container("store-pool1-node1", "");
        expect(await round()).toEqual({ code: 0, output: "" });
        expect(starts()).toEqual([]);
    });

    describe("after its engine was killed, and the next one has ended the containers that went on", () => {
        beforeEach(() => {
            described = container("store-pool1-node1", "");
            ends = [[ID.node, CREATED_NANOSECONDS - 1n]];
        });

        test("starts such a container, which the engine takes for stopped explicitly", async () => {
            expect(await round()).toEqual({
                code: 0,
                output: "store-pool1-node1: started; the engine had ended it when it started itself\n",
            });
            expect(starts()).toEqual([`POST /containers/${ID.node}/start`]);
        });

        test("leaves a container alone that was stopped once the engine answered", async () => {
            ends = [[ID.node, CREATED_NANOSECONDS + 1n]];
            await round();
            ends = [
                [ID.node, CREATED_NANOSECONDS - 1n],
                [ID.node, CREATED_NANOSECONDS + 1n],
            ];
            await round();
            expect(starts()).toEqual([]);
        });

        test("leaves a container alone that was stopped before: the engine doesn't remember its end", async () => {
            ends = [[ID.proxy, CREATED_NANOSECONDS - 1n]];
            await round();
            expect(starts()).toEqual([]);
        });

        test("leaves a container alone that the engine wouldn't restart", async () => {
            described = container("store-pool1-node1-prepare", "", "no");
            await round();
            expect(starts()).toEqual([]);
        });

        test("does what it can on an engine without a default network", async () => {
            bridge = { status: 404, body: JSON.stringify({ message: "network bridge not found" }) };
            expect(await round()).toEqual({ code: 0, output: "" });
            described = container("store-pool1-node1", NO_QUORUM);
            await round();
            expect(starts()).toHaveLength(1);
        });
    });

    test("asks an engine whose containers all run for nothing more", async () => {
        ended = {};
        await round();
        expect(asked).toEqual([
            expect.stringContaining("GET /containers/json?"),
            expect.stringContaining("GET /containers/json?"),
        ]);
    });

    test("leaves a container alone that the engine wouldn't restart: a helper", async () => {
        described = container("store-pool1-node1-prepare", "failed", "no");
        await round();
        expect(starts()).toEqual([]);
    });

    test("says why a container can't be started", async () => {
        started = { status: 500, body: JSON.stringify({ message: NO_QUORUM }) };
        expect(await round()).toEqual({
            code: 0,
            output: `store-pool1-node1: can't be started yet: ${NO_QUORUM}\n`,
        });
    });

    test.each([304, 404, 409])("says nothing of a container that started or is being removed (%d)", async (status) => {
        started = { status, body: status === 304 ? "" : JSON.stringify({ message: "removal is in progress" }) };
        expect(await round()).toEqual({ code: 0, output: "" });
    });

    test("notes each round, also one in which a container can't be started", async () => {
        started = { status: 500, body: JSON.stringify({ message: NO_QUORUM }) };
        await round();
        expect(existsSync(heartbeat())).toBe(true);
    });

    test("notes no round without an engine, and says why", async () => {
        await new Promise((resolve) => engine.close(resolve));
        expect(await round()).toEqual({ code: 1, output: "engine: No such file or directory\n" });
        expect(existsSync(heartbeat())).toBe(false);
        engine.listen(join(folder, "engine.sock"));
    });

    test.each([
        { age: 100, code: 0, output: "" },
        { age: 400, code: 1, output: "the engine hasn't answered for 400 s\n" },
    ])("is healthy or not by the age of its last round: $age s", async ({ age, ...expected }) => {
        writeFileSync(heartbeat(), "");
        const then = Date.now() / 1000 - age;
        utimesSync(heartbeat(), then, then);
        const { code, output } = await run("checkWatchdog.pl");
        expect({ code, output: output.replace(/40\d/, "400") }).toEqual(expected);
    });
});
