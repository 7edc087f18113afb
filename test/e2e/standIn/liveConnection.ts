import type { Server } from "node:http";
import { hostname } from "node:os";
import { WebSocketServer } from "ws";
import type { Recorder } from "./recorder";
import { parseTarget } from "./requestTarget";

/** Path of the console's WebSocket. */
const LIVE_PATH = "/service/console/live";

/** The console's WebSocket: it sends its node's name, then echoes what it receives. */
export function serveLiveConnections(server: Server, recorder: Recorder): WebSocketServer {
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
        const observed = recorder.request("console", request);
        observed.route = "live";
        if (parseTarget(request.url ?? "").path !== LIVE_PATH) {
            observed.status = 404;
            socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return;
        }
        observed.status = 101;
        sockets.handleUpgrade(request, socket, head, (connection) => {
            connection.on("error", () => connection.terminate());
            connection.on("message", (data, isBinary) => connection.send(data, { binary: isBinary }));
            connection.send(hostname());
        });
    });
    return sockets;
}
