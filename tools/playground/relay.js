// node relay.js SOCKET HOST:PORT …: accepts connections at a Unix socket, and forwards each to the first target that accepts
// it, beginning with another target each time. A single target has as long as the system gives it: TCP repeats lost packets.
const { connect, createServer } = require("node:net");

const CONNECT_MILLISECONDS = 1000;

const [socketPath, ...targets] = process.argv.slice(2);
let turn = 0;

const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => client.destroy());
    turn += 1;
    attempt(client, [...targets.slice(turn % targets.length), ...targets.slice(0, turn % targets.length)]);
});
server.listen(socketPath, () => console.log("ready"));

function attempt(client, [first, ...others]) {
    if (first === undefined) {
        client.destroy();
        return;
    }
    const [host, port] = first.split(":");
    const target = connect({ host, port: Number(port), allowHalfOpen: true });
    const timer =
        targets.length > 1 ? setTimeout(() => target.destroy(new Error("no answer")), CONNECT_MILLISECONDS) : undefined;
    target.once("connect", () => {
        clearTimeout(timer);
        target.removeAllListeners("error");
        target.on("error", () => client.destroy());
        client.on("error", () => target.destroy());
        client.on("close", () => target.destroy());
        target.on("close", () => client.destroy());
        client.pipe(target).pipe(client);
    });
    target.once("error", () => {
        clearTimeout(timer);
        attempt(client, others);
    });
}
