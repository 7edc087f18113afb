import { connect } from "node:net";
import { accessLogOf } from "./accessLogLines";
import { DockerHost } from "./dockerHost";
import { LoadBalancer, type Listener } from "./loadBalancer";
import type { NetworkClient } from "./networkClient";
import { PublicSide, S3_HOST, valuesOf, type Echo } from "./publicSide";
import { RawConnection } from "./rawConnection";

/** Options of curl for the header by which a client, or a proxy, claims these addresses. */
export const forwardedFor = (...addresses: string[]) => ["--header", `X-Forwarded-For: ${addresses.join(", ")}`];

/** Requests by way of a load balancer, without it, and by this host in its place; and which client is seen in them. */
export function balancedRequests(side: () => PublicSide, balancer: () => LoadBalancer) {
    /** The output of curl at a client, by way of a listener of the load balancer or directly. */
    const curl = (from: NetworkClient, by: Listener | "direct", path: string, ...options: string[]) => {
        const scheme = by === "forwarding" || by === "silent" ? "http" : "https";
        const url = path.startsWith("http") ? path : `${scheme}://${S3_HOST}${path}`;
        return by === "direct"
            ? from.curl(url, ...options)
            : from.run("curl", "--silent", "--show-error", "--insecure", ...balancer().through(by), ...options, url);
    };
    const status = async (from: NetworkClient, by: Listener | "direct", path: string, ...options: string[]) =>
        Number(await curl(from, by, path, "--output", "/dev/null", "--write-out", "%{http_code}", ...options));

    /** The addresses that the store gets of a request. */
    const toldToStore = (echo: Echo) => [...valuesOf(echo, "x-forwarded-for"), ...valuesOf(echo, "x-real-ip")];
    const echoed = async (from: NetworkClient, by: Listener | "direct", ...options: string[]) =>
        toldToStore(JSON.parse(await curl(from, by, "/service/echo", ...options)) as Echo);

    /** The client's address in the log line of a request. */
    const logged = async (path: string) => {
        const lines = await accessLogOf(
            new DockerHost(),
            `${side().deployment.clusterName}-proxy`,
            (line) => line["path"] === path,
        );
        return lines.find((line) => line["path"] === path)?.["client_address"];
    };

    /** A TLS connection of this host, which is a trusted proxy, that begins with a header. */
    const connectWith = async (first: string) => {
        const socket = connect(side().deployment.httpsPort, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(first);
        return RawConnection.openTls(side().deployment.httpsPort, { socket });
    };
    const echoWith = async (first: string, ...headerLines: string[]) => {
        const connection = await connectWith(first);
        try {
            connection.write(
                `${["GET /service/echo HTTP/1.1", `Host: ${S3_HOST}`, ...headerLines].join("\r\n")}\r\n\r\n`,
            );
            return toldToStore(JSON.parse((await connection.answer()).body) as Echo);
        } finally {
            connection.destroy();
        }
    };

    return { curl, status, toldToStore, echoed, logged, connectWith, echoWith };
}
