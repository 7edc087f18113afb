import { connect, createServer, type NetConnectOpts, type ListenOptions, type Server } from "node:net";

/** Listens at one address, and forwards all bytes to another address and back. */
export function startRelay(from: ListenOptions, to: NetConnectOpts): Promise<Server> {
    const server = createServer((socket) => {
        const target = connect(to);
        socket.pipe(target).pipe(socket);
        socket.on("error", () => target.destroy());
        target.on("error", () => socket.destroy());
    });
    return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(from, () => resolve(server));
    });
}
