import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DockerEngine } from "../../../../components/docker/engine";
import { engineClient } from "../../../../components/docker/engineConnection";
import { engineEndpoint } from "../../../../components/docker/engineEndpoint";
import { EngineSocket } from "../../fakes/engineSocket";

let socket: EngineSocket;

beforeEach(async () => (socket = await EngineSocket.open()));
afterEach(() => socket.remove());

describe("through ssh", () => {
    /** A replacement for ssh: it writes down its arguments, then connects to the socket, or fails. */
    const sshIs = (script: string) => {
        writeFileSync(join(socket.folder, "ssh"), `#!${process.execPath}\n${script}`);
        chmodSync(join(socket.folder, "ssh"), 0o755);
        process.env["PATH"] = `${socket.folder}${delimiter}${process.env["PATH"]}`;
    };

    test("several requests use few connections, which end with the program", async () => {
        sshIs(`
            require("node:fs").appendFileSync(${JSON.stringify(join(socket.folder, "calls"))}, process.argv.slice(2).join(" ") + "\\n");
            const engine = require("node:net").connect(${JSON.stringify(join(socket.folder, "docker.sock"))});
            process.stdin.pipe(engine).pipe(process.stdout);
        `);
        const client = await engineClient(engineEndpoint({ host: "ssh://docker.example.com" }, {}));
        socket.answer = (path) => ({ status: 200, body: { path, padding: "x".repeat(300_000) } });
        for (let round = 0; round < 3; round++) {
            expect(await client.info()).toMatchObject({ path: "/info", padding: "x".repeat(300_000) });
        }
        const calls = readFileSync(join(socket.folder, "calls"), "utf8");
        expect(calls).toBe(
            "-o ConnectTimeout=30 -o BatchMode=yes -o ServerAliveInterval=15 -T -- docker.example.com docker system dial-stdio\n",
        );
    });

    test("requests at the same time have a connection each, of which one is kept", async () => {
        sshIs(`
            const { appendFileSync } = require("node:fs");
            const calls = ${JSON.stringify(join(socket.folder, "calls"))};
            appendFileSync(calls, "begins\\n");
            const end = () => { appendFileSync(calls, "ends\\n"); process.exit(); };
            process.on("SIGTERM", end).stdin.on("end", end);
            const engine = require("node:net").connect(${JSON.stringify(join(socket.folder, "docker.sock"))});
            process.stdin.pipe(engine).pipe(process.stdout);
        `);
        const client = await engineClient(engineEndpoint({ host: "ssh://many.example.com" }, {}));
        await Promise.all([client.info(), client.info(), client.info(), client.info()]);
        const count = (word: string) => readFileSync(join(socket.folder, "calls"), "utf8").split(word).length - 1;
        expect(count("begins")).toBe(4);
        for (let waited = 0; count("ends") < 3 && waited < 100; waited++) {
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        await client.info();
        expect([count("begins"), count("ends")]).toEqual([4, 3]);
    });

    test("ssh's error message is reported, with its remedy", async () => {
        sshIs(`process.stderr.write("Host key verification failed.\\r\\n"); process.exitCode = 255;`);
        await expect(DockerEngine.connect({ host: "ssh://unknown.example.com" })).rejects.toThrow(
            /^Docker doesn't answer at ssh:.* \(ssh: Host key verification failed.\): .*connect once with ssh unknown.example.com/,
        );
    });
});
