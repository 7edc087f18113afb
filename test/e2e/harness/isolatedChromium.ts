import { execFileSync, spawn } from "node:child_process";
import { startRelay } from "./relay";

// isolatedChromium.ts SOCKET PORT ARGUMENT…: Chromium in an empty network namespace, in which a port of the loopback
// address leads through a socket to whoever listens there. It ends with Chromium.
const [path = "", port, ...chromiumArguments] = process.argv.slice(2);

execFileSync("ip", ["link", "set", "lo", "up"]);
void startRelay({ host: "127.0.0.1", port: Number(port) }, { path }).then(() => {
    // Standard streams, and the two pipes by which Chromium is driven.
    const stdio = Array.from({ length: 5 }, () => "inherit" as const);
    spawn("chromium", chromiumArguments, { stdio }).on("exit", (code) => process.exit(code ?? 1));
});
