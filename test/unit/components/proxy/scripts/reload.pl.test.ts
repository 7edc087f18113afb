import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../../components/docker/script";

const STATES = "1\n# be_id be_name srv_id srv_name srv_addr srv_op_state\n3 s3 1 node1 10.0.0.1 2 0\n\n";

const LOADED = "Success=1\n--\n[NOTICE] loaded\n";

/** The Perl program that reloads a proxy, on the sockets of a simulated HAProxy. */
describe("a reload", () => {
    let folder: string;
    let servers: Server[];
    let asked: string[];
    const sockets = new Set<Socket>();
    const path = (name: string) => join(folder, name);

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "reload-"));
        servers = [];
        asked = [];
    });

    afterEach(async () => {
        sockets.forEach((socket) => socket.destroy());
        sockets.clear();
        await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
        rmSync(folder, { recursive: true });
    });

    /** Listens on a socket, and answers every command with a text; without one, never. */
    const listen = async (name: string, answer: string | undefined): Promise<Server> => {
        const server = createServer((socket) => {
            sockets.add(socket);
            socket.on("error", () => undefined);
            socket.on("data", (data) => {
                asked.push(String(data).trim());
                if (answer !== undefined) {
                    socket.end(answer);
                }
            });
        });
        await new Promise<void>((resolve) => server.listen(path(name), resolve));
        servers.push(server);
        return server;
    };

    /** Runs the program with its waits reduced to one second. */
    const reload = (): Promise<{ code: number; output: string }> => {
        const source = script(join(__dirname, "../../../../../components/proxy"), "reload.pl");

        expect(source.match(/^alarm \d+;$/gm)).toHaveLength(3);
        expect(source).not.toContain("'");
        const program = source.replace(/^alarm \d+;$/gm, "alarm 1;");
        const files = ["master.sock", "stats.sock", "servers.state", "reload.lock"].map(path);
        const owner = [process.getuid?.(), process.getgid?.()].map(String);
        return new Promise((resolve) =>
            execFile("perl", ["-e", program, ...files, ...owner], (error, output) =>
                resolve({ code: (error?.code as number | undefined) ?? 0, output }),
            ),
        );
    };

    const saved = () => (existsSync(path("servers.state")) ? readFileSync(path("servers.state"), "utf8") : undefined);

    test("saves the servers' states, then asks the master for it", async () => {
        await listen("stats.sock", STATES);
        await listen("master.sock", LOADED);
        expect(await reload()).toEqual({ code: 0, output: LOADED });
        expect(asked).toEqual(["show servers state", "reload"]);
        expect(saved()).toBe(STATES);
    });

    test("writes to no file that a link in the proxy's folder leads to", async () => {
        await listen("stats.sock", STATES);
        await listen("master.sock", LOADED);
        writeFileSync(path("victim"), "victim");
        ["servers.state.next", "servers.state", "reload.lock"].forEach((name) => symlinkSync("victim", path(name)));
        expect(await reload()).toMatchObject({ code: 3, output: expect.stringContaining("lock: ") as string });
        rmSync(path("reload.lock"));
        expect((await reload()).code).toBe(0);
        expect([readFileSync(path("victim"), "utf8"), saved()]).toEqual(["victim", STATES]);
    });

    test("that HAProxy refuses is an error, with its answer", async () => {
        await listen("stats.sock", STATES);
        await listen("master.sock", "Success=0\n--\n[ALERT] wrong\n");
        expect(await reload()).toEqual({ code: 1, output: "Success=0\n--\n[ALERT] wrong\n" });
    });

    test.each(["nobody has made the socket", "the socket is left of a proxy that has ended"])(
        "has nothing to do if no proxy runs: %s",
        async (reason) => {
            if (reason.includes("left")) {
                const leave = `use IO::Socket::UNIX; IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1)`;
                await new Promise((resolve) => execFile("perl", ["-e", leave, path("master.sock")], resolve));
                expect(existsSync(path("master.sock"))).toBe(true);
            }
            writeFileSync(path("servers.state"), "earlier");
            expect(await reload()).toEqual({ code: 0, output: "" });
            expect([asked, saved()]).toEqual([[], "earlier"]);
        },
    );

    test.each([
        ["gives no answer", undefined, "the states of the servers: HAProxy gives no answer\n"],
        ["answers nothing", "", "the states of the servers: HAProxy answered \n"],
        ["refuses", "Permission denied\n", "the states of the servers: HAProxy answered Permission denied\n\n"],
        ["breaks off", STATES.slice(0, -10), `the states of the servers: HAProxy answered ${STATES.slice(0, -10)}\n`],
    ])("doesn't go on with earlier states if the worker %s", async (_, answer, output) => {
        await listen("stats.sock", answer);
        await listen("master.sock", LOADED);
        writeFileSync(path("servers.state"), "earlier");
        expect(await reload()).toEqual({ code: 3, output });
        expect([asked, saved()]).toEqual([["show servers state"], "earlier"]);
    });

    test("doesn't go on if a worker doesn't listen, and waits for one that starts", async () => {
        await listen("master.sock", LOADED);
        expect(await reload()).toEqual({ code: 3, output: "the states of the servers: HAProxy gives no answer\n" });
        const reloaded = reload();
        setTimeout(() => void listen("stats.sock", STATES), 300);
        expect((await reloaded).code).toBe(0);
    });

    test.each([
        ["gives no answer", undefined],
        ["closes the connection", ""],
    ])("isn't taken for done if the master %s", async (_, answer) => {
        await listen("stats.sock", STATES);
        await listen("master.sock", answer);
        expect(await reload()).toEqual({ code: 1, output: "HAProxy gives no answer to the reload command\n" });
    });

    test("isn't taken for done if the master's socket can't be used", async () => {
        await listen("stats.sock", STATES);
        symlinkSync("master.sock", path("master.sock"));
        const { code, output } = await reload();
        expect([code, output]).toEqual([3, expect.stringContaining("master.sock: Too many levels of symbolic links")]);
        expect(asked).toEqual([]);
    });

    test("waits for another one, but not forever", async () => {
        await listen("stats.sock", STATES);
        await listen("master.sock", LOADED);
        const hold = `open(my $l, ">", $ARGV[0]); flock($l, LOCK_EX); $| = 1; print "held"; sleep 60;`;
        const holder = spawn("perl", ["-MFcntl=:flock", "-e", hold, path("reload.lock")]);
        try {
            await new Promise((resolve) => holder.stdout.once("data", resolve));
            expect(await reload()).toEqual({ code: 3, output: "another reload goes on\n" });
            expect(asked).toEqual([]);
        } finally {
            holder.kill();
        }
    });
});
