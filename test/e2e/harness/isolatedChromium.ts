import { execFileSync, spawn } from "node:child_process";
import { startRelay } from "./relay";

// isolatedChromium.ts SOCKET PORT ARGUMENT…: Chromium in an empty network namespace. There, a port of the loopback
// address is forwarded through a socket to its listener. Ends with Chromium.
const [path = "", port, ...chromiumArguments] = process.argv.slice(2);

execFileSync("ip", ["link", "set", "lo", "up"]);
void startRelay({ host: "127.0.0.1", port: Number(port) }, { path }).then(() => {
    // Standard streams, and the two pipes that control Chromium.
    const stdio = Array.from({ length: 5 }, () => "inherit" as const);
    spawn("chromium", chromiumArguments, { stdio }).on("exit", (code) => process.exit(code ?? 1));
});
