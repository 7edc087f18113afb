import { CHALLENGE_PATH, PEERS_FILE } from "../certificate/acmeScripts";
import { EXCHANGE_SOCKET, PEERS_SOCKET } from "../proxyControl/proxyFiles";
import { type ProxyPeer, type HaproxyConfigArgs, PEERS_PORT } from "./args";
import { nodeNetworksOf } from "./metrics";
import { section } from "./section";

/** Backend of this proxy's own ACME client. */
const OWN_CLIENT = "acme_own";

/** Backend of the container that exchanges certificates. */
const EXCHANGE = "acme_exchange";

/** Prefix of the backend of another proxy. */
const PEER = "acme_peer_";

/** Both sides of a connection between two proxies show this certificate, and accept no other. */
const AUTHENTICATED = `ssl crt ${PEERS_FILE} ca-file ${PEERS_FILE} verify required`;

/** A server that is always tried, since it is only asked for what can be asked again. */
export const UNCHECKED = "no-check init-state fully-up";

/** Prefix of the name of a server that is another proxy. */
const PEER_SERVER = "peer-";

/** Whether a server, such as `acme/peer-b`, is another proxy, and so no node. */
export function isPeerServer(server: string): boolean {
    return server.startsWith(`acme/${PEER_SERVER}`) || server.startsWith(PEER);
}

/** A server line for another proxy. */
export function peerServer({ name, address }: ProxyPeer, checks = UNCHECKED): string {
    return `server ${PEER_SERVER}${name} ${address}:${PEERS_PORT} ${AUTHENTICATED} ${checks}`;
}

/**
 * The sections by which the proxies of a store exchange their certificate, and challenges.
 *
 * @param clientServer The server line of this proxy's ACME client. Undefined if it answers no challenges.
 */
export function peerSections(
    { stores }: HaproxyConfigArgs,
    peers: ProxyPeer[],
    clientServer: string | undefined,
): string[] {
    return [
        section(
            "The other proxies reach the ACME client and its certificate here. Both sides authenticate themselves.",
            "frontend acme_peers",
            [
                `bind :${PEERS_PORT} ${AUTHENTICATED}`,
                `tcp-request connection reject unless ${nodeNetworksOf(stores)}`,
                "timeout client 30s",
                "http-request set-log-level silent",
                clientServer === undefined ? undefined : `use_backend ${OWN_CLIENT} if { path_beg ${CHALLENGE_PATH} }`,
                `default_backend ${EXCHANGE}`,
            ],
        ),
        ...(clientServer === undefined
            ? []
            : [
                  section("Only during a challenge a process listens there.", `backend ${OWN_CLIENT}`, [
                      "retries 0",
                      "timeout connect 1s",
                      "timeout server 5s",
                      clientServer,
                  ]),
              ]),
        section("The certificate and the state of this proxy.", `backend ${EXCHANGE}`, [
            "retries 0",
            "timeout connect 1s",
            "timeout server 5s",
            `server exchange unix@${EXCHANGE_SOCKET} ${UNCHECKED}`,
        ]),
        section("The container that exchanges certificates asks /NAME/… of another proxy.", "frontend acme_asks", [
            `bind unix@${PEERS_SOCKET} mode 600`,
            "timeout client 30s",
            "http-request set-log-level silent",
            `use_backend ${PEER}%[path,field(2,/)]`,
        ]),
        ...peers.map((peer) =>
            section(`The proxy on host ${peer.name}.`, `backend ${PEER}${peer.name}`, [
                "retries 1",
                "timeout connect 1s",
                "timeout server 3s",
                "http-request set-path %[path,regsub(^/[^/]*,)]",
                peerServer(peer),
            ]),
        ),
    ];
}
