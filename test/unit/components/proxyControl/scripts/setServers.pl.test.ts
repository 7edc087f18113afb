import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { script } from "../../../../../components/docker/script";

const TRAFFIC = join(__dirname, "../../../../../components/proxyControl");

const PROCESSES = [
    "#<PID>          <type>          <reloads>       <uptime>        <version>",
    "1               master          1               0d00h01m        3.2.26",
    "# workers",
    "31              worker          0               0d00h00m        3.2.26",
    "# old workers",
    "9               worker          1               0d00h01m        3.2.26",
    "",
].join("\n");

const STATES = [
    "1",
    "# be_id be_name srv_id srv_name srv_addr srv_op_state",
    "3 s3 1 node1 10.0.0.1 2 0",
    "3 s3 2 node2 10.0.0.2 2 0",
    "5 s3_read 1 node1 10.0.0.1 2 0",
    "5 s3_read 2 node2 10.0.0.2 2 0",
    "",
].join("\n");

/** The Perl programs that run in the proxy's container, on a socket of a simulated HAProxy master. */
describe("a proxy's servers", () => {
    let folder: string;
    let master: Server;
    let asked: string[];
    /** The master's answer to a command. `undefined`: it never answers. */
    let answer: (command: string) => string | undefined;
    const sockets = new Set<Socket>();

    beforeEach(async () => {
        folder = mkdtempSync(join(tmpdir(), "proxy-"));
        asked = [];
        answer = (command) => {
            if (command === "show proc") {
                return PROCESSES;
            }
            return command.endsWith("show servers state") ? STATES : "\n";
        };
        master = createServer({ allowHalfOpen: true }, (socket) => {
            sockets.add(socket);
            socket.on("error", () => undefined);
            socket.on("data", (data) => {
                const command = String(data).trim();
                asked.push(command);
                const text = answer(command);
                if (text !== undefined) {
                    socket.end(text);
                }
            });
        });
        await new Promise<void>((resolve) => master.listen(join(folder, "master.sock"), resolve));
    });

    afterEach(async () => {
        sockets.forEach((socket) => socket.destroy());
        sockets.clear();
        await new Promise((resolve) => master.close(resolve));
        rmSync(folder, { recursive: true });
    });

    const notes = () =>
        readdirSync(folder)
            .filter((name) => name.startsWith("taken-out-"))
            .map((name) => name.replace("taken-out-", ""))
            .sort();

    /** Runs a program, with its longest waits reduced to one second. The program has to define them. */
    const run = async (name: string, args: string[] = []): Promise<{ output: string; error: string }> => {
        const source = [script(TRAFFIC, "askMaster.pl"), script(TRAFFIC, name)].join("\n");
        expect(source).toMatch(/^alarm \d+;$/m);
        const program = source.replace(/^alarm \d+;$/gm, "alarm 1;");
        const env = {
            ...process.env,
            MASTER_SOCKET: join(folder, "master.sock"),
            RELOAD_LOCK: join(folder, "reload.lock"),
            NOTE_PREFIX: join(folder, "taken-out-"),
        };
        return promisify(execFile)("perl", ["-e", program, ...args], { env }).then(
            ({ stdout }) => ({ output: stdout, error: "" }),
            (error: unknown) => {
                const { stdout, stderr } = error as { stdout: string; stderr: string };
                return { output: stdout, error: stderr };
            },
        );
    };

    const set = (state: string, ...addresses: string[]) => run("setServers.pl", [state, ...addresses]);
    const changes = () => asked.filter((command) => command.includes("set server"));

    test("are listed for each worker, including old ones", async () => {
        const { output } = await run("listServers.pl");
        expect(output).toBe([PROCESSES, STATES, "\n", STATES, "\n"].join("\0"));
        expect(asked).toEqual([
            "show proc",
            "@!31 show servers state",
            "@!31 show stat",
            "@!9 show servers state",
            "@!9 show stat",
        ]);
    });

    test("are not awaited forever: a master that doesn't answer is an error", async () => {
        answer = (command) => (command === "show proc" ? PROCESSES : undefined);
        expect(await run("listServers.pl")).toEqual({ output: "", error: "no answer in 20 s\n" });
    });

    test("are drained in every backend of every worker, and this is noted", async () => {
        expect((await set("drain", "10.0.0.2")).error).toBe("");
        expect(changes()).toEqual(
            ["31", "9"].flatMap((worker) =>
                ["s3", "s3_read"].map((backend) => `@!${worker} set server ${backend}/node2 state drain`),
            ),
        );
        expect(notes()).toEqual(["10.0.0.2"]);
    });

    test("that only get no reads have separate notes, and stay in the other backends", async () => {
        await set("drain reads", "10.0.0.1", "10.0.0.2");
        expect(changes().filter((command) => !command.includes(" s3_read/"))).toEqual([]);
        expect(notes()).toEqual(["reads-10.0.0.1", "reads-10.0.0.2"]);

        asked = [];
        await set("ready reads", "10.0.0.1");
        expect(changes()).toEqual(["31", "9"].map((worker) => `@!${worker} set server s3_read/node1 state ready`));
        expect(notes()).toEqual(["reads-10.0.0.2"]);
    });

    test("that return to service also return for reads: no note is left", async () => {
        await set("maint", "10.0.0.1");
        await set("drain reads", "10.0.0.1", "10.0.0.2");
        await set("ready", "10.0.0.1");
        expect(notes()).toEqual(["reads-10.0.0.2"]);
    });

    test("aren't changed by a worker that hangs: this is not mistaken for a reload", async () => {
        answer = (command) => (command === "show proc" ? PROCESSES : undefined);
        expect((await set("ready", "10.0.0.2")).error).toBe("HAProxy doesn't answer\n");
    });

    test("return to service after checks, through maintenance", async () => {
        await set("maint", "10.0.0.1");
        asked = [];
        await set("ready after checks", "10.0.0.1");
        expect(changes().slice(0, 2)).toEqual([
            "@!31 set server s3/node1 state maint",
            "@!31 set server s3/node1 state ready",
        ]);
    });

    /** The servers with these names as an operator has left them: with their srv_admin_state. */
    const outByOperator = (admin: number, ...names: string[]) => {
        const states = STATES.replace(/^(\d+ )(\S+)( \d+ )(\S+)( \S+ \d+) 0$/gm, (row, ...parts: string[]) =>
            names.includes(`${parts[1]}/${parts[3]}`) ? `${parts.slice(0, 5).join("")} ${admin}` : row,
        );
        expect(states).not.toBe(STATES);
        answer = (command) =>
            command === "show proc" ? PROCESSES : command.endsWith("show servers state") ? states : "\n";
    };

    test.each([
        ["drained", 8],
        ["put into maintenance", 1],
    ])("that an operator has %s here stay so, while the others are drained and return", async (_, admin) => {
        outByOperator(admin, "s3/node1", "s3_read/node1", "s3/node2");
        await set("drain", "10.0.0.1", "10.0.0.2");
        const own = (state: string) =>
            ["31", "9"].map((worker) => `@!${worker} set server s3_read/node2 state ${state}`);
        expect([changes(), notes()]).toEqual([own("drain"), ["10.0.0.2"]]);
        expect(readFileSync(join(folder, "taken-out-10.0.0.2"), "utf8")).toBe("s3_read/node2\n");
        asked = [];
        outByOperator(8, "s3/node1", "s3_read/node1", "s3/node2", "s3_read/node2");
        await set("ready", "10.0.0.1", "10.0.0.2");
        expect([changes(), notes()]).toEqual([own("ready"), []]);
    });

    test("that are drained again by this program return: it has taken them out itself", async () => {
        await set("drain reads", "10.0.0.1");
        outByOperator(8, "s3_read/node1");
        await set("drain", "10.0.0.1");
        outByOperator(8, "s3_read/node1", "s3/node1");
        await set("maint", "10.0.0.1");
        asked = [];
        await set("ready", "10.0.0.1");
        expect(changes().map((command) => command.replace(/^@!\d+ set server (\S+) state ready$/, "$1"))).toEqual([
            ...["s3/node1", "s3_read/node1"],
            ...["s3/node1", "s3_read/node1"],
        ]);
        expect(notes()).toEqual([]);
    });

    test("that an earlier release has taken out return: its notes are empty", async () => {
        writeFileSync(join(folder, "taken-out-10.0.0.1"), "");
        outByOperator(8, "s3_read/node1", "s3/node1");
        await set("ready", "10.0.0.1");
        expect([changes().length, notes()]).toEqual([4, []]);
    });

    test("that the worker refuses to change are an error, and keep the note", async () => {
        answer = (command) => {
            if (command.startsWith("@!31 set server")) {
                return "No such server.\n";
            }
            return command === "show proc" ? PROCESSES : STATES;
        };
        expect((await set("drain", "10.0.0.2")).error).toBe("s3/node2: No such server.\n\n");
        expect(notes()).toEqual(["10.0.0.2"]);
    });

    test("that an old worker can't change any more are no error", async () => {
        answer = (command) => {
            if (command.startsWith("@!9 ")) {
                return "Can't find the target PID matching the prefix '@!9'\n";
            }
            return command === "show proc"
                ? PROCESSES
                : command.endsWith("state") && !command.includes("set")
                  ? STATES
                  : "\n";
        };
        expect((await set("drain", "10.0.0.2")).error).toBe("");
    });

    test("that a worker doesn't list don't count as changed", async () => {
        answer = (command) => (command === "show proc" ? PROCESSES : "Permission denied\n");
        expect((await set("ready", "10.0.0.2")).error).toContain(
            "worker 31 doesn't list its servers: Permission denied",
        );
    });

    test("wait for a reload, which holds the lock, but not forever", async () => {
        const holder = spawn("perl", [
            "-MFcntl=:flock",
            "-e",
            `open(my $l, ">", $ARGV[0]); flock($l, LOCK_EX); $| = 1; print "held"; sleep 60;`,
            join(folder, "reload.lock"),
        ]);
        try {
            await new Promise((resolve) => holder.stdout.once("data", resolve));
            expect((await set("drain", "10.0.0.2")).error).toBe("a reload goes on\n");
            expect(changes()).toEqual([]);
            expect(notes()).toEqual([]);
        } finally {
            holder.kill();
        }
    });
});
