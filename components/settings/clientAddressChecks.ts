import { checkTrustedNetworks } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import type { StoreEdgeArgs } from "../args/haproxyFrontEndArgs";

/** The args that decide whose statement of a client's address counts. */
type ClientAddressArgs = Pick<StoreEdgeArgs, "trustedProxies" | "proxyProtocol" | "publishAddress">;

/** Checks the PROXY protocol, and whether there are trusted proxies if there have to be. */
export function checkClientAddress({ trustedProxies, proxyProtocol }: ClientAddressArgs): Problem[] {
    return [
        ...(trustedProxies?.length === 0
            ? [
                  {
                      propertyPath: "trustedProxies",
                      reason: "is empty: leave it out if clients connect directly, or name the networks of your proxies",
                  },
              ]
            : []),
        ...(proxyProtocol !== undefined && trustedProxies === undefined
            ? [
                  {
                      propertyPath: "proxyProtocol",
                      reason: "needs trustedProxies: name the networks of the proxies that send the header",
                  },
              ]
            : []),
    ];
}

/**
 * Checks the networks of trusted proxies. None may contain a gateway of the proxy's own networks, which is the address of
 * many clients, unless only processes of the Docker host can connect.
 */
export function checkTrustedProxies(
    { trustedProxies = [], publishAddress = "0.0.0.0" }: ClientAddressArgs,
    gateways: string[],
): Problem[] {
    const onlyThisHost = /^127\.|^::1$/.test(publishAddress);
    return checkTrustedNetworks("trustedProxies", trustedProxies, onlyThisHost ? [] : gateways);
}
