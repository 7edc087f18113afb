import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import type { DeploymentOutputs } from "./deployment";
import { startRelay } from "./relay";

/** Everything that happened on a page, in order. */
export interface PageRecord {
    /** Responses with an error status, and requests without a response, as `403 GET /path`. */
    failedRequests: string[];
    /** Errors that the browser or the page itself reported, such as blocked content and exceptions. */
    errors: string[];
    /** WebSockets that have received something. */
    webSockets: Set<string>;
}

/**
 * Debian's Chromium, with its own home directory and network namespace. Chromium closes all its connections whenever an
 * address is added to the host or removed from it (`net::ERR_NETWORK_CHANGED`), as with each container that another
 * test starts, and has no option against that. So it gets an empty network, from which one port is forwarded to the
 * proxy's.
 */
export class ConsoleBrowser {
    private constructor(
        private readonly browser: Browser,
        private readonly relay: Server,
        private readonly home: string,
        readonly page: Page,
        readonly record: PageRecord,
    ) {}

    /** Opens an empty page. The browser trusts the stack's own CA, as if the user had imported it. */
    static async open({ caCertificate, consoleUrl }: DeploymentOutputs): Promise<ConsoleBrowser> {
        const home = mkdtempSync(join(tmpdir(), "browser-"));
        trustCa(home, caCertificate);
        const port = Number(new URL(consoleUrl).port);
        const socket = join(home, "proxy.sock");
        const relay = await startRelay({ path: socket }, { host: "127.0.0.1", port });
        const browser = await chromium.launch({
            executablePath: isolatedChromium(home, socket, port),
            env: { ...process.env, HOME: home },
            // Chromium refuses to run as root with its sandbox.
            chromiumSandbox: false,
        });
        const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
        page.setDefaultTimeout(60_000);
        return new ConsoleBrowser(browser, relay, home, page, recordOf(page));
    }

    async close(): Promise<void> {
        await this.browser.close();
        this.relay.close();
        rmSync(this.home, { recursive: true, force: true });
    }
}

/** Adds a CA to the certificate database in a home directory that Chromium reads. */
function trustCa(home: string, certificate: string): void {
    const folder = join(home, ".pki", "nssdb");
    const file = join(home, "ca.pem");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, certificate);
    execFileSync("certutil", ["-N", "-d", `sql:${folder}`, "--empty-password"]);
    execFileSync("certutil", ["-A", "-d", `sql:${folder}`, "-n", "ca", "-t", "C,,", "-i", file]);
}

/** Writes a program that runs in place of Chromium, and returns its path. */
function isolatedChromium(home: string, socket: string, port: number): string {
    const program = join(home, "isolated-chromium");
    const words = [process.execPath, "--import", require.resolve("tsx"), join(__dirname, "isolatedChromium.ts")];
    const command = [...words, socket, String(port)].map((word) => `'${word}'`).join(" ");
    writeFileSync(program, `#!/bin/sh\nexec unshare --map-root-user --net -- ${command} "$@"\n`, { mode: 0o755 });
    return program;
}

function recordOf(page: Page): PageRecord {
    const record: PageRecord = { failedRequests: [], errors: [], webSockets: new Set() };
    page.on("response", (response) => {
        if (response.status() >= 400) {
            const path = new URL(response.url()).pathname;
            record.failedRequests.push(`${response.status()} ${response.request().method()} ${path}`);
        }
    });
    page.on("requestfailed", (request) => {
        const reason = request.failure()?.errorText ?? "";
        // A request that the page itself aborts, as in a reload, hasn't failed.
        if (reason !== "net::ERR_ABORTED") {
            record.failedRequests.push(`${reason} ${request.method()} ${request.url()}`);
        }
    });
    page.on("console", (message) => {
        if (message.type() === "error") {
            record.errors.push(message.text());
        }
    });
    page.on("pageerror", (error) => record.errors.push(error.message));
    page.on("websocket", (socket) => {
        socket.on("framereceived", () => record.webSockets.add(socket.url()));
        socket.on("socketerror", (error) => record.errors.push(error));
    });
    return record;
}
