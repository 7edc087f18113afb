// Opens TLS connections and keeps them idle: node idleConnections.js HOST PORT COUNT SECONDS. Prints the number of open
// connections each second, and ends after SECONDS.
const { setInterval, setTimeout } = require("node:timers");
const { connect } = require("node:tls");

const [host, port, count, seconds] = process.argv.slice(2);
const AT_ONCE = 64;

let begun = 0;
let open = 0;

function openNext() {
    if (begun >= Number(count)) {
        return;
    }
    begun++;
    let opened = false;
    const socket = connect(
        {
            host,
            port: Number(port),
            servername: "s3.localhost",
            rejectUnauthorized: false,
            ALPNProtocols: ["http/1.1"],
        },
        () => {
            opened = true;
            open++;
            openNext();
        },
    );
    socket.on("error", () => undefined);
    socket.on("close", () => {
        open -= opened ? 1 : 0;
        if (!opened) {
            openNext();
        }
    });
}

for (let lane = 0; lane < AT_ONCE; lane++) {
    openNext();
}
setInterval(() => console.log(open), 500);
setTimeout(() => process.exit(0), Number(seconds) * 1000);
