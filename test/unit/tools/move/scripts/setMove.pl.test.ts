import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../../components/docker/script";

const PROGRAM = [
    script(join(__dirname, "../../../../../components/proxyControl"), "askMaster.pl"),
    script(join(__dirname, "../../../../../tools/move"), "setMove.pl"),
].join("\n");

const PROCESSES = `# workers\n31  worker  0  0d00h00m\n# old workers\n9  worker  1  0d00h01m\n`;
const COLUMNS =
    "# pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status\n";
const server = (backend: string, name: string, running: number, status: string) =>
    `${backend},${name},0,0,${running},0,,0,0,0,,0,,0,0,0,0,${status}\n`;

/** The Perl program that changes the state of a move, on a simulated HAProxy: its map, its table and its statistics. */
describe("the state of a move in a proxy", () => {
    let folder: string;
    let master: Server;
    let asked: string[];
    /** Workers that have no map and no table of the move. */
    let unprepared: string[];
    let map: { [key: string]: string };
    /** Whether the configuration has the other store's proxies. */
    let hasBackend: boolean;

    /** Milliseconds that a process takes to hold changes for good. */
    let delay: number;

    beforeEach(async () => {
        delay = 0;
        folder = mkdtempSync(join(tmpdir(), "move-"));
        asked = [];
        unprepared = [];
        map = {};
        hasBackend = true;
        master = createServer({ allowHalfOpen: true }, (socket) => {
            socket.on("data", (data) => {
                const late = String(data).includes("4102444800") ? delay : 0;
                setTimeout(() => socket.end(answer(String(data).trim())), late);
            });
        });
        await new Promise<void>((resolve) => master.listen(join(folder, "master.sock"), resolve));
    });

    afterEach(async () => {
        await new Promise((resolve) => master.close(resolve));
        rmSync(folder, { recursive: true });
    });

    function answer(command: string): string {
        asked.push(command);
        if (command === "show proc") {
            return PROCESSES;
        }
        const [, worker = "", rest = ""] = /^@!(\d+) (.*)$/.exec(command) ?? [];
        const lacks = unprepared.includes(worker);
        if (rest === "show stat") {
            return (
                COLUMNS +
                server("s3", "node1", 3, "UP") +
                (hasBackend ? server("moved", "front-end1", 0, "UP") + server("moved", "front-end2", 0, "DOWN") : "")
            );
        }
        if (rest === "show table changes") {
            return lacks
                ? "No such table\n"
                : "# table: changes, type: string\n0x1: key=changes use=2 exp=1 shard=0 conn_cur=2\n";
        }
        const [, verb, key = "", value = ""] = /^(set|add) map opt@\S+ (\S+) (\S+)$/.exec(rest) ?? [];
        if (lacks || (verb === "set" && !(key in map))) {
            return "entry not found.\n";
        }
        map[key] = value;
        return "\n";
    }

    function run(...args: string[]): Promise<{ code: number | null; output: string }> {
        const env = {
            MASTER_SOCKET: join(folder, "master.sock"),
            RELOAD_LOCK: join(folder, "lock"),
            MOVE_FILE: join(folder, "move.map"),
        };
        const child = spawn("perl", ["-e", PROGRAM, "one", "changes", "moved", ...args], { env });
        let output = "";
        child.stdout.on("data", (text) => (output += String(text)));
        child.stderr.on("data", (text) => (output += String(text)));
        return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
    }

    const now = () => Math.floor(Date.now() / 1000);
    const file = () =>
        Object.fromEntries(
            readFileSync(join(folder, "move.map"), "utf8")
                .trim()
                .split("\n")
                .map((line) => line.split(" ") as [string, string]),
        );

    test("status: running changes of all processes, and the other store's proxies that are up", async () => {
        expect(await run("status")).toEqual({
            code: 0,
            output: "old 1\nchanges 4\nearlier 0\nup 1\nheld 0\nmoved 0\n",
        });
    });

    test("every running request counts in a process that began before the move", async () => {
        unprepared = ["9"];
        expect((await run("status")).output).toContain("changes 2\nearlier 3\n");
    });

    test("a pause ends by itself; it is in the file for the next process and in the map of the running one", async () => {
        expect((await run("pause", "30")).code).toBe(0);
        expect(Number(map["paused:one"])).toBeGreaterThanOrEqual(now() + 28);
        expect(Number(map["paused:one"])).toBeLessThanOrEqual(now() + 30);
        expect(file()).toEqual({ "paused:one": map["paused:one"], "moved:one": "0" });
    });

    test("everything is forwarded only while changes are still held", async () => {
        expect(await run("forward")).toEqual({ code: expect.any(Number) as number, output: "the pause has ended\n" });
        expect(map).toEqual({});
        await run("pause", "30");
        await run("hold");
        expect(Number(map["paused:one"])).toBeGreaterThan(now() + 1_000_000);
        const { code, output } = await run("forward");
        expect([code, output.split("\n").slice(-3)]).toEqual([0, ["held 0", "moved 1", ""]]);
        // Requests that were held must not reach this store.
        const order = asked.filter((command) => /@!31 (set|add) map/.test(command)).slice(-3);
        expect(order.findIndex((command) => command.includes("moved:one"))).toBeLessThan(
            order.findIndex((command) => command.endsWith("paused:one 0")),
        );
        expect(file()).toEqual({ "paused:one": "0", "moved:one": "1" });
    });

    test.each([
        ["forward", "1"],
        ["return", "0"],
    ])("%s in a timed pause: changes stay held until every process knows where they go", async (action, moved) => {
        await run("pause", "30");
        asked = [];
        expect((await run(action)).code).toBe(0);
        const order = asked.flatMap((command) => /@!31 set map \S+ (.*)$/.exec(command)?.[1] ?? []);
        expect(order).toEqual(["paused:one 4102444800", `moved:one ${moved}`, "paused:one 0"]);
    });

    test.each(["hold", "forward", "return"])(
        "%s: if the pause ends before every process holds changes for good, nothing is switched and they go on",
        async (action) => {
            await run("pause", "3");
            delay = 1500;
            const { code, output } = await run(action);
            expect([code === 0, output]).toEqual([false, "the pause has ended\n"]);
            expect(file()).toEqual({ "paused:one": "0", "moved:one": "0" });
            expect(map["paused:one"]).toBe("0");
        },
    );

    test("a pause that has ended isn't prolonged", async () => {
        writeFileSync(join(folder, "move.map"), `paused:one ${now() - 1}\nmoved:one 0\n`);
        expect((await run("hold")).output).toBe("the pause has ended\n");
    });

    test("the state of another move has no effect", async () => {
        writeFileSync(join(folder, "move.map"), "paused:other 4102444800\nmoved:other 1\n");
        expect((await run("status")).output).toMatch(/held 0\nmoved 0\n$/);
    });

    test("status: how long changes are still held", async () => {
        await run("pause", "30");
        expect(Number(/^held (\d+)$/m.exec((await run("status")).output)?.[1])).toBeGreaterThan(27);
        writeFileSync(join(folder, "move.map"), `paused:one ${now() - 100}\n`);
        expect((await run("status")).output).toContain("held 0\n");
    });

    test("status: a proxy whose configuration alone forwards, whatever the file says", async () => {
        unprepared = ["31"];
        expect((await run("status")).output).toMatch(/moved 1\n$/);
        writeFileSync(join(folder, "move.map"), "moved:one 1\n");
        hasBackend = false;
        expect((await run("status")).output).toMatch(/moved 0\n$/);
    });

    test("a proxy that isn't prepared is refused", async () => {
        unprepared = ["31"];
        expect((await run("pause", "30")).output).toContain("isn't prepared for the move");
    });

    test("a note for the next reload changes nothing in the running processes", async () => {
        expect(await run("record")).toEqual({ code: 0, output: "" });
        expect(file()).toEqual({ "paused:one": "0", "moved:one": "1" });
        expect(asked.filter((command) => command.includes(" map "))).toEqual([]);
    });
});
