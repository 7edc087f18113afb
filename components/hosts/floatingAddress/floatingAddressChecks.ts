import { limitFailures } from "../../args/schema";
import { isIPv4 } from "node:net";
import { checkImage } from "../../checks/imageChecks";
import { shown } from "../../checks/inputChecks";
import { under, type Problem } from "../../checks/problem";
import { networksOverlap, reservedFor } from "../../naming/ipv4Network";
import type { FloatingAddressArgs } from "../../args/floatingAddressArgs";

/** What a floating address must suit. */
export interface AddressSurroundings {
    /** The hosts' own addresses, by the path of each. */
    hostAddresses: ReadonlyMap<string, string>;
    /** Number of proxies, one on each host. Undefined if the store names no hosts. */
    proxyCount: number | undefined;
    /** Networks in Docker, by a description of each. */
    dockerNetworks: ReadonlyMap<string, string>;
    /** Configured host address that the ports are published on. */
    publishAddress: string | undefined;
    /** Whether connections must begin with a PROXY protocol header. */
    expectsHeader: boolean;
}

const PATH = "floatingAddress";

/** Every problem of a floating address that can be found without querying an engine. */
export function checkFloatingAddress(args: FloatingAddressArgs, around: AddressSurroundings): Problem[] {
    return [
        ...checkProxies(args, around.proxyCount),
        ...checkOwnAddress(args.address, around),
        ...checkPublishAddress(around.publishAddress),
        ...(around.expectsHeader ? [{ propertyPath: "proxyProtocol", reason: HEADER_REASON }] : []),
        ...(typeof args.image === "string"
            ? checkImage(`${PATH}.image`, args.image)
            : [{ propertyPath: `${PATH}.image`, reason: `is missing: ${IMAGE_ADVICE}` }]),
        ...under(PATH, limitFailures("FloatingAddressArgs", args)),
    ];
}

/** The check of keepalived sends none. */
const HEADER_REASON =
    "and floatingAddress exclude each other: a load balancer that sends the header connects to the hosts' own addresses. " +
    "Remove one of them";

const IMAGE_ADVICE =
    "give an image with keepalived, with an exact version, such as registry.example.com/keepalived:2.3.4";

function checkProxies({ address }: FloatingAddressArgs, count: number | undefined): Problem[] {
    if (count === undefined) {
        const reason = `${shown(address)} needs hosts: give at least 2 there, or remove floatingAddress`;
        return [{ propertyPath: PATH, reason }];
    }
    const reason = `${shown(address)} needs two proxies at least, to float between them: name more hosts in frontEndHosts`;
    return count < 2 ? [{ propertyPath: PATH, reason }] : [];
}

function checkOwnAddress(address: unknown, { hostAddresses, dockerNetworks }: AddressSurroundings): Problem[] {
    const refused = (reason: string): Problem[] => [
        { propertyPath: `${PATH}.address`, reason: `${shown(address)} ${reason}` },
    ];
    const advice = "give a free address of the hosts' network, such as 10.0.0.100";
    if (typeof address !== "string" || !isIPv4(address)) {
        return refused(`is not an IPv4 address: ${advice}`);
    }
    const reserved = reservedFor(`${address}/32`);
    if (reserved !== undefined) {
        return refused(`is not allowed: it belongs to ${reserved}: ${advice}`);
    }
    const owner = [...hostAddresses].find(([, other]) => other === address)?.[0];
    const network = [...dockerNetworks].find(([, subnet]) => networksOverlap(subnet, `${address}/32`));
    return [
        ...(owner === undefined ? [] : refused(`is ${owner}, which stays on its host: ${advice}`)),
        ...(network === undefined
            ? []
            : refused(`belongs to ${network[1]}, ${network[0]}, which no client reaches: ${advice}`)),
    ];
}

/** A proxy that publishes its ports on another address doesn't answer at the floating one. */
function checkPublishAddress(publishAddress: string | undefined): Problem[] {
    const reason =
        `${shown(publishAddress)} is not allowed with floatingAddress: leave it out, or set 0.0.0.0, so that the ports are ` +
        "published on that address too once a host has it";
    return publishAddress === undefined || publishAddress === "0.0.0.0"
        ? []
        : [{ propertyPath: "publishAddress", reason }];
}
