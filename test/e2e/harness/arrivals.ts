import type { ConnectionOptions } from "node:tls";
import { PublicSide, valuesOf, type Echo } from "./publicSide";
import { openTlsSocket } from "./rawConnection";

/** Finds out which requests arrive at the stand-in behind the proxy. */
export function arrivalsAt(side: () => PublicSide) {
    /** The listener that a request with this Host reaches, and the Host that arrives there. */
    const reached = async (host: string, options: ConnectionOptions = {}) => {
        const connection = await openTlsSocket(side().deployment.httpsPort, options);
        const target = targetOfItsOwn();
        connection.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        let answer = "";
        for await (const part of connection.setEncoding("latin1") as AsyncIterable<string>) {
            answer += part;
        }
        const [head = "", body = ""] = answer.split("\r\n\r\n");
        return { status: Number(head.split(" ")[1]), ...(await arrival(target, body)) };
    };

    let requests = 0;
    const targetOfItsOwn = () => `/service/echo?request=${++requests}`;

    /** Which listener the request for a target reached, and with which Host. */
    const arrival = async (target: string, body: string) => {
        const found = (await side().node.requests()).find(({ url }) => url.endsWith(target));
        return found === undefined
            ? { listener: undefined }
            : { listener: found.listener, host: valuesOf(JSON.parse(body) as Echo, "host").join(" and ") };
    };

    return { reached, targetOfItsOwn, arrival };
}

export type Arrivals = ReturnType<typeof arrivalsAt>;
