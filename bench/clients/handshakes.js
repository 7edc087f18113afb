// Makes TLS handshakes in several parallel lanes, one after the other in each: node handshakes.js HOST PORT VERSION
// full|resumed SECONDS. Prints as JSON how many were completed, and how many of them resumed a session.
const { setTimeout } = require("node:timers");
const { connect } = require("node:tls");

const [host, port, version, kind, seconds] = process.argv.slice(2);
const LANES = 4;
const REQUEST = "GET / HTTP/1.1\r\nHost: s3.localhost\r\nConnection: close\r\n\r\n";

let handshakes = 0;
let resumed = 0;
let failed = 0;

/** Connects once, and returns the session. With TLS 1.3, the client has to read from the connection to get it. */
function once(session, wantsSession) {
    return new Promise((resolve) => {
        let found = session;
        const socket = connect({
            ...{ host, port: Number(port), servername: "s3.localhost", rejectUnauthorized: false, session },
            ...{ minVersion: version, maxVersion: version },
        });
        socket.on("session", (next) => (found = next));
        socket.on("secureConnect", () => {
            handshakes++;
            resumed += socket.isSessionReused() ? 1 : 0;
            socket.end(wantsSession ? REQUEST : undefined);
        });
        socket.on("error", () => failed++);
        socket.on("close", () => resolve(found));
        socket.resume();
    });
}

async function lane(end) {
    const session = kind === "resumed" ? await once(undefined, true) : undefined;
    while (Date.now() < end) {
        await once(session, false);
    }
}

const end = Date.now() + Number(seconds) * 1000;
// A server that never closes its connection must not keep this program running.
setTimeout(() => process.exit(1), Number(seconds) * 1000 + 10_000).unref();
void Promise.all(Array.from({ length: LANES }, () => lane(end))).then(() => {
    console.log(JSON.stringify({ handshakes, resumed, failed }));
    process.exit(0);
});
