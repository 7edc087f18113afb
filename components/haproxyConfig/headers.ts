import { idleSeconds } from "./defaults";
import type { ClientAddressArgs } from "./clientAddress";

/** Allowed options of `Connection`: all of them apply only between the client and the proxy. */
const KNOWN_CONNECTION_OPTIONS = "close|keep-alive|te|upgrade|http2-settings";

/** Drops the headers in which a client states its own address, and hop-by-hop headers. */
export function headerRules(withWebSockets: string[]): string[] {
    const upgrade = withWebSockets.map((acl) => `${acl} websocket`).join(" or ");
    return [
        // HTTP/1.0 has no chunked encoding: a message with it is invalid and refused (RFC 9112, section 6.1).
        "http-request deny deny_status 400 if HTTP_1.0 { req.hdr(transfer-encoding) -m found }",
        // A header that Connection names would have to be dropped as well (RFC 9110, section 7.6.1).
        `http-request deny deny_status 400 if { req.hdr(connection) -m reg -i '^(?!(?:${KNOWN_CONNECTION_OPTIONS})?$)' }`,
        "http-request del-header http2-settings",
        "http-request del-header x-forwarded- -m beg",
        "http-request del-header forwarded",
        "http-request del-header keep-alive",
        "http-request del-header proxy- -m beg",
        "http-request del-header te",
        "http-request set-header X-Forwarded-For %[src]",
        "http-request set-header X-Forwarded-Proto https",
        "http-request set-header X-Real-IP %[src]",
        "acl websocket req.hdr(upgrade) -m str -i websocket",
        "http-request del-header connection",
        `http-request del-header upgrade unless ${upgrade}`,
        `http-request set-header Connection Upgrade if ${upgrade}`,
    ];
}

/** Lines of a store's backends. Whether browsers use nothing but HTTPS is decided here (`hstsMaxAge`), not by the store. */
export const NOT_OF_THE_STORE = ["http-response del-header Strict-Transport-Security"];

/**
 * States how long a client may keep a connection, in place of what a store states for its own. A client that heeds it closes the
 * connection first; otherwise it could send a request at the moment at which the proxy closes it. HAProxy leaves the header out
 * of HTTP/2.
 */
export function keepAliveRule(args: ClientAddressArgs): string {
    return `http-after-response set-header Keep-Alive timeout=${idleSeconds(args) - 1}`;
}
