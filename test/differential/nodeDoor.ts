import { connect } from "node:net";
import { createServer, type Server } from "node:tls";
import type { TestCertificate } from "../certificates";

/**
 * TLS in front of a node, with all bytes unchanged: clients then send the same requests to the node as to the edge, whose scheme,
 * host and port they sign.
 */
export function startNodeDoor(
    from: { host: string; port: number },
    node: { host: string; port: number },
    { certificate, key }: TestCertificate,
): Promise<Server> {
    const server = createServer({ cert: certificate, key, ALPNProtocols: ["http/1.1"] }, (client) => {
        const target = connect(node);
        client.pipe(target).pipe(client);
        client.on("error", () => target.destroy()).on("close", () => target.destroy());
        target.on("error", () => client.destroy()).on("close", () => client.destroySoon());
    });
    // Clients close connections at any time.
    server.on("tlsClientError", () => undefined);
    return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(from, () => resolve(server));
    });
}
