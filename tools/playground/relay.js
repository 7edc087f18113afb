// node relay.js LISTEN=TARGET,TARGET… …: accepts connections at each LISTEN, and forwards each to the first of its targets
// that accepts it, beginning with another target each time. LISTEN and TARGET are HOST:PORT, or the path of a Unix socket.
const { connect, createServer } = require("node:net");

const CONNECT_MILLISECONDS = 1000;

const listening = process.argv.slice(2).map((argument) => {
    const [place, targets] = argument.split("=");
    return listen(place, targets.split(","));
});
Promise.all(listening).then(
    () => console.log("ready"),
    (error) => {
        console.error(error.message);
        process.exit(1);
    },
);

function listen(place, targets) {
    let turn = 0;
    const server = createServer({ allowHalfOpen: true }, (client) => {
        client.on("error", () => client.destroy());
        turn += 1;
        attempt(client, [...targets.slice(turn % targets.length), ...targets.slice(0, turn % targets.length)]);
    });
    return new Promise((resolve, reject) => server.once("error", reject).listen(addressOf(place), resolve));
}

function addressOf(place) {
    const [host, port] = place.split(":");
    return port === undefined ? { path: place } : { host, port: Number(port) };
}

function attempt(client, [first, ...others]) {
    if (first === undefined) {
        client.destroy();
        return;
    }
    const target = connect({ ...addressOf(first), allowHalfOpen: true });
    const timer = setTimeout(() => target.destroy(new Error("no answer")), CONNECT_MILLISECONDS);
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
