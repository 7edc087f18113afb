/** Whether connections begin with a PROXY protocol header. */
export type ProxyProtocol = "required";

/** How the proxy learns the address of a client that connects through another proxy or a load balancer. */
export interface ClientAddressArgs {
    /** Networks of those proxies, in CIDR notation. Empty: every client connects directly. */
    trustedProxies: string[];
    /** Whether those proxies send a PROXY protocol header. Undefined: nobody does. */
    proxyProtocol?: ProxyProtocol;
}

/** ACL that is true while the client's address, as far as it is known, is that of a trusted proxy. */
export const TRUSTED_PROXY = "trusted_proxy";

/** Maximum number of trusted proxies, one behind the other. HAProxy could read ten addresses of a header. */
const LONGEST_CHAIN = 5;

/**
 * Rules of a frontend that are placed before all others. With the PROXY protocol, only trusted proxies may connect, and
 * their connections must begin with its header, which is read before TLS.
 *
 * @param localClients Networks within the container that connect without that header.
 */
export function connectionSource({ trustedProxies, proxyProtocol }: ClientAddressArgs, localClients = ""): string[] {
    if (trustedProxies.length === 0) {
        return [];
    }
    const others = localClients === "" ? "" : ` or { src ${localClients} }`;
    return [
        `acl ${TRUSTED_PROXY} src ${trustedProxies.join(" ")}`,
        ...(proxyProtocol === undefined
            ? []
            : [
                  `tcp-request connection reject unless ${TRUSTED_PROXY}${others}`,
                  `tcp-request connection expect-proxy layer4 if ${TRUSTED_PROXY}`,
              ]),
    ];
}

/** The rule set in which `src` is the address of a connection's client: after the PROXY protocol header, if there is one. */
export function connectionRuleSet({ proxyProtocol }: ClientAddressArgs): string {
    return `tcp-request ${proxyProtocol === undefined ? "connection" : "session"}`;
}

/**
 * Rules that make `src` the address of a request's client. `X-Forwarded-For` is read from the right, as long as the address
 * found so far is a trusted proxy: the next one is what that proxy saw. What others send isn't read. If a trusted proxy
 * names something other than an address, the client is unknown, and the request is refused.
 */
export function requestSource({ trustedProxies }: ClientAddressArgs): string[] {
    return trustedProxies.length === 0
        ? []
        : Array.from({ length: LONGEST_CHAIN }, (_, index) => {
              const address = `req.hdr_ip(x-forwarded-for,-${index + 1})`;
              const isThere = `{ req.hdr_cnt(x-forwarded-for) ge ${index + 1} }`;
              return [
                  `http-request deny deny_status 400 if ${TRUSTED_PROXY} ${isThere} !{ ${address} -m found }`,
                  `http-request set-src ${address} if ${TRUSTED_PROXY}`,
              ];
          }).flat();
}
