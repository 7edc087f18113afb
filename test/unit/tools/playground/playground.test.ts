import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arePlaygroundHosts, PLAYGROUND_FOLDER } from "../../../../tools/playground/playground";
import { checkMachine } from "../../../../tools/playground/requirements";
import { howToGoOn } from "../../../../tools/playground/summary";
import { RELAY, VirtualHosts } from "../../../../tools/playground/virtualHosts";

const hosts = VirtualHosts.describe({ count: 3, prefix: "playground", folder: PLAYGROUND_FOLDER }).hosts;

describe("the machine of a playground", () => {
    test("runs Linux", () => {
        expect(() => checkMachine("darwin", 0)).toThrow("a playground needs Linux");
    });

    test("is used by root", () => {
        expect(() => checkMachine("linux", 1000)).toThrow("run the command as root");
    });

    test("is accepted otherwise", () => {
        expect(() => checkMachine("linux", 0)).not.toThrow();
    });
});

test("only hosts in its folder are the playground's", () => {
    expect(arePlaygroundHosts(hosts)).toBe(true);
    const elsewhere = { name: "x", dockerHost: "ssh://ops@10.0.0.1", address: "10.0.0.1" };
    expect(arePlaygroundHosts([...hosts, elsewhere])).toBe(false);
    expect(arePlaygroundHosts([{ ...elsewhere, dockerHost: `unix://${PLAYGROUND_FOLDER}-more/docker.sock` }])).toBe(
        false,
    );
});

test("its summary names the commands for its own number of hosts", () => {
    const text = howToGoOn(hosts);
    expect(text).toContain("npm run playground -- --kill c\n");
    expect(text).toContain("npm run playground -- --hosts 3\n");
    expect(text).toContain(`docker -H unix://${PLAYGROUND_FOLDER}/1/docker.sock ps\n`);
});

describe("relay.js", () => {
    const folder = mkdtempSync(join(tmpdir(), "relay-"));
    const servers: Server[] = [];
    let relay: ChildProcess | undefined;

    afterEach(() => {
        relay?.kill();
        servers.splice(0).forEach((server) => server.close());
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    /** A server that answers each connection with a text, and the port of it. */
    const answering = (text: string): Promise<number> => {
        const server = createServer((socket) => socket.end(text));
        servers.push(server);
        return new Promise((resolve) =>
            server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
        );
    };

    /** A port that nothing listens on. */
    const closedPort = async () => {
        const port = await answering("");
        await new Promise((resolve) => servers.pop()?.close(resolve));
        return port;
    };

    const start = (...args: string[]): Promise<string> => {
        const child = spawn(process.execPath, [RELAY, ...args], { stdio: ["ignore", "pipe", "pipe"] });
        relay = child;
        return new Promise((resolve) => {
            child.stdout.once("data", (text: Buffer) => resolve(text.toString().trim()));
            child.stderr.once("data", (text: Buffer) => resolve(text.toString().trim()));
        });
    };

    const answerAt = (to: { path: string } | { host: string; port: number }): Promise<string> =>
        new Promise((resolve, reject) => {
            let received = "";
            connect(to)
                .on("data", (text) => (received += text.toString()))
                .on("error", reject)
                .on("close", () => resolve(received));
        });

    test("forwards to the targets in turn, and past one that refuses", async () => {
        const [one, other, closed] = [await answering("one"), await answering("other"), await closedPort()];
        const path = join(folder, "turn.sock");
        const targets = [closed, one, other].map((port) => `127.0.0.1:${port}`);
        expect(await start(`${path}=${targets.join(",")}`)).toBe("ready");
        const answers = [await answerAt({ path }), await answerAt({ path }), await answerAt({ path })];
        expect(answers).toEqual(["one", "other", "one"]);
    });

    test("forwards several ports, also to Unix sockets", async () => {
        const [port, freePort] = [await answering("served"), await closedPort()];
        const path = join(folder, "both.sock");
        expect(await start(`${path}=127.0.0.1:${port}`, `127.0.0.1:${freePort}=${path}`)).toBe("ready");
        expect(await answerAt({ host: "127.0.0.1", port: freePort })).toBe("served");
    });

    test("says which port is taken", async () => {
        const taken = await answering("");
        expect(await start(`127.0.0.1:${taken}=127.0.0.1:1`)).toContain(
            `EADDRINUSE: address already in use 127.0.0.1:${taken}`,
        );
    });
});
