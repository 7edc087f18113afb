import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXCHANGE_SCRIPT } from "../../../components/certificate/acmeScripts";
import { makeCertificate } from "../../certificates";

export const HOSTNAME = "s3.example.com";
export const ORDER = "https://ca.example.com/directory ec256";
/** Seconds after which a proxy that is silent loses its turn. */
export const SILENCE = 2;

/** A proxy: the script that exchanges certificates, and a folder like that of its ACME client. */
export class FrontEnd {
    output = "";
    /** Whether the others reach it. */
    reachable = true;
    private running: ChildProcess | undefined;
    private alive: NodeJS.Timeout | undefined;

    constructor(
        readonly name: string,
        private readonly folder: string,
    ) {
        mkdirSync(this.path("certificates"), { recursive: true });
        this.live();
    }

    path(...parts: string[]): string {
        return join(this.folder, "acme", ...parts);
    }

    get peersSocket(): string {
        return join(this.folder, "peers.sock");
    }

    get exchangeSocket(): string {
        return join(this.folder, "exchange.sock");
    }

    /** The ACME client gives signs of life. */
    live(): void {
        const sign = () => this.note("alive", String(now()));
        sign();
        this.alive = setInterval(sign, 500);
    }

    /** The ACME client has ended for a long time. */
    die(): void {
        clearInterval(this.alive);
        this.note("alive", String(now() - 60));
    }

    start(frontEnds: string, order = ORDER): void {
        const environment = {
            PATH: process.env["PATH"],
            ACME_DIRECTORY: this.path(),
            HOSTNAMES: `${HOSTNAME} console.example.com`,
            ORDER: order,
            FRONT_ENDS: frontEnds,
            FRONT_END: this.name,
            PEERS_SOCKET: this.peersSocket,
            EXCHANGE_SOCKET: this.exchangeSocket,
            INTERVAL_SECONDS: "0.1",
            SILENCE_SECONDS: String(SILENCE),
        };
        const running = spawn("perl", ["-e", EXCHANGE_SCRIPT], { env: environment, detached: true });
        [running.stdout, running.stderr].forEach((stream) =>
            stream.on("data", (data) => (this.output += String(data))),
        );
        this.running = running;
    }

    async stop(): Promise<void> {
        const { running } = this;
        this.running = undefined;
        if (running !== undefined && running.exitCode === null) {
            const end = new Promise((resolve) => running.once("exit", resolve));
            process.kill(-(running.pid ?? 0), "SIGKILL");
            await end;
        }
    }

    async remove(): Promise<void> {
        clearInterval(this.alive);
        await this.stop();
    }

    note(name: string, text: string): void {
        mkdirSync(dirname(this.path(name)), { recursive: true });
        writeFileSync(this.path(name), `${text}\n`);
    }

    read(name: string): string | undefined {
        try {
            return readFileSync(this.path(name), "utf8").trimEnd();
        } catch {
            return undefined;
        }
    }

    /** Whether it may order. */
    get hasTurn(): boolean {
        return Number(this.read("turn") ?? 0) > now();
    }

    /** Gives it a certificate and an account, as its ACME client does. Returns the digest. */
    async obtain(start = -1, end = 90): Promise<string> {
        const { certificate, key } = await makeCertificate([HOSTNAME], start, end);
        writeFileSync(this.path("certificates", `${HOSTNAME}.crt`), certificate);
        writeFileSync(this.path("certificates", `${HOSTNAME}.key`), key);
        const digest = createHash("sha256")
            .update(certificate + key)
            .digest("hex");
        this.note("ready", `${digest} ${ORDER}`);
        return digest;
    }

    register(name = "me@example.com"): void {
        this.note(`accounts/ca/${name}/account.json`, "{}");
        this.note(`accounts/ca/${name}/keys/${name}.key`, "key");
    }

    /** Digest of the certificate that waits to be taken over by its client. */
    get taken(): string | undefined {
        const [certificate, key] = ["crt", "key"].map((kind) =>
            this.path("taken", "certificates", `${HOSTNAME}.${kind}`),
        );
        return certificate !== undefined && key !== undefined && existsSync(certificate)
            ? createHash("sha256").update(readFileSync(certificate)).update(readFileSync(key)).digest("hex")
            : undefined;
    }
}

export const now = () => Math.floor(Date.now() / 1000);
