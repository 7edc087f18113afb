import * as pulumi from "@pulumi/pulumi";
import { checkDockerName, checkHostname, checkPort, checkTrustedNetworks } from "../checks/inputChecks";
import { ifPlain, isPlain } from "../checks/plain";
import { under, type At, type Problem } from "../checks/problem";
import type { HaproxyService } from "../haproxyConfig/services";
import type { HaproxyStore } from "../haproxyConfig/haproxyStore";
import { checkMove, configuredMove, moveFiles } from "./storeMove";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import type { StoreMoveArgs, FrontEndStore, FrontEndService } from "../args/proxyStoreArgs";

/** The properties of a proxy that describe its stores and services. */
export interface ProxyBackends {
    cluster?: pulumi.Input<ClusterEndpoints>;
    s3Host?: pulumi.Input<string>;
    consoleHost?: pulumi.Input<string>;
    virtualHostBuckets?: boolean;
    adminNetworks?: string[];
    consoleNetworks?: string[];
    move?: StoreMoveArgs;
    stores?: (StoreWithoutCluster & Partial<Pick<FrontEndStore, "cluster">>)[];
    services?: FrontEndService[];
}

/** A store without its cluster: the part that can be checked before the cluster exists. */
export type StoreWithoutCluster = Omit<FrontEndStore, "cluster">;

/** The args of a proxy that say what it has to know of its only store. */
export const STORE_ARGS = [
    "s3Host",
    "consoleHost",
    "virtualHostBuckets",
    "adminNetworks",
    "consoleNetworks",
    "move",
] as const satisfies readonly (keyof StoreWithoutCluster)[];

const SHORT_FORM = ["cluster", ...STORE_ARGS] as const;

/** The stores of a proxy. `s3Host` and the properties that belong to it are the short form for one store. */
export function storesOf({ stores, ...args }: ProxyBackends): StoreWithoutCluster[] {
    const { s3Host = "", consoleHost = "", virtualHostBuckets, adminNetworks, consoleNetworks, move } = args;
    return stores ?? [{ s3Host, consoleHost, virtualHostBuckets, adminNetworks, consoleNetworks, move }];
}

/** The stores as haproxy.cfg names them, without their clusters, once their hostnames are known. */
export function knownStores(args: ProxyBackends): pulumi.Output<Omit<HaproxyStore, "cluster">[]> {
    // Their clusters are known later than their hostnames.
    const withoutClusters = storesOf(args).map((store) => ({ ...store, cluster: undefined }));
    return pulumi.output(withoutClusters).apply((stores) =>
        stores.map(({ adminNetworks = [], consoleNetworks = [], move, ...store }) => ({
            ...store,
            adminNetworks,
            consoleNetworks,
            ...(move === undefined ? {} : { move: configuredMove(store.name, move) }),
        })),
    );
}

/** The services as haproxy.cfg names them, once their hostnames are known. */
export function knownServices({ services = [] }: ProxyBackends): pulumi.Output<HaproxyService[]> {
    return pulumi.output(
        services.map(({ name, hostname, servers, healthPath = "/" }) => ({ name, hostname, servers, healthPath })),
    );
}

/** The clusters of {@link storesOf}, in the same order. */
export function clustersOf({ stores, cluster }: ProxyBackends): (pulumi.Input<ClusterEndpoints> | undefined)[] {
    return stores?.map((store) => store.cluster) ?? [cluster];
}

/** The files that the moves of a proxy's stores need in the configuration's folder. */
export function filesOfMoves(args: ProxyBackends): { [name: string]: string } {
    return Object.assign({}, ...storesOf(args).map(({ name, move }) => moveFiles(name, move))) as {
        [name: string]: string;
    };
}

/** Path prefix of the properties of the store at an index. */
export function storePath({ stores }: ProxyBackends, index: number): string {
    return stores === undefined ? "" : `stores[${index}].`;
}

/** Every public hostname, in a fixed order. */
export function hostnamesOf(args: ProxyBackends): pulumi.Input<string>[] {
    return [
        ...storesOf(args).flatMap(({ s3Host, consoleHost }) => [s3Host, consoleHost]),
        ...(args.services ?? []).map(({ hostname }) => hostname),
    ];
}

/** Every public hostname, with its property. */
export function namedHostnames(args: ProxyBackends): { propertyPath: string; value: pulumi.Input<string> }[] {
    const { services = [] } = args;
    return [
        ...storesOf(args).flatMap(({ s3Host, consoleHost }, index) => [
            { propertyPath: `${storePath(args, index)}s3Host`, value: s3Host },
            { propertyPath: `${storePath(args, index)}consoleHost`, value: consoleHost },
        ]),
        ...services.map(({ hostname }, index) => ({ propertyPath: `services[${index}].hostname`, value: hostname })),
    ];
}

/**
 * Every problem of a proxy's stores and services that can be found without querying the engine.
 *
 * @param at The paths that the user wrote, for reasons that name another property.
 */
export function checkBackends(args: ProxyBackends, at: At): Problem[] {
    const both = SHORT_FORM.filter((property) => args.stores !== undefined && args[property] !== undefined);
    if (both.length > 0) {
        const reason = "and stores exclude each other: it is the short form for one store, so give it there";
        return both.map((propertyPath) => ({ propertyPath, reason }));
    }
    if (args.stores?.length === 0) {
        return [{ propertyPath: "stores", reason: "is empty: give at least one store" }];
    }
    const { services = [] } = args;
    const names = (args.stores ?? []).map(({ name }, index) => ({
        propertyPath: `stores[${index}].name`,
        value: name ?? "",
    }));
    const hostnames = namedHostnames(args);
    return [
        ...names.flatMap(({ propertyPath, value }) => (value === "" ? [] : checkDockerName(propertyPath, value))),
        ...checkDiffer(names, "give each store a name of its own", at),
        ...hostnames.flatMap(({ propertyPath, value }) =>
            ifPlain(value, (known) => checkHostname(propertyPath, known)),
        ),
        ...checkDiffer(
            hostnames.filter(({ value }) => value !== ""),
            "give each a hostname of its own (case doesn't count)",
            at,
        ),
        ...storesOf(args).flatMap(({ move }, index) => checkMove(`${storePath(args, index)}move`, move)),
        ...services.flatMap((service, index) => under(`services[${index}]`, checkService(service))),
        ...checkDiffer(
            services.map(({ name }, index) => ({ propertyPath: `services[${index}].name`, value: name })),
            "give each service a name of its own",
            at,
        ),
    ];
}

/** Checks the networks with special access: none may contain a gateway of the proxy's own networks. */
export function checkTrust(args: ProxyBackends, gateways: string[]): Problem[] {
    return storesOf(args).flatMap(({ adminNetworks = [], consoleNetworks }, index) => {
        const path = storePath(args, index);
        return [
            ...checkTrustedNetworks(`${path}adminNetworks`, adminNetworks, gateways),
            ...(consoleNetworks?.length === 0
                ? [
                      {
                          propertyPath: `${path}consoleNetworks`,
                          reason: "is empty: leave it out to let everybody in, or name a network",
                      },
                  ]
                : checkTrustedNetworks(`${path}consoleNetworks`, consoleNetworks ?? [], gateways)),
        ];
    });
}

/** A problem for each store without a cluster. */
export function checkClusters(args: ProxyBackends): Problem[] {
    return clustersOf(args).flatMap((cluster, index) =>
        cluster === undefined
            ? [
                  {
                      propertyPath: `${storePath(args, index)}cluster`,
                      reason: "is missing: give the endpoints of a StorageCluster",
                  },
              ]
            : [],
    );
}

function checkService({ name, servers, healthPath }: FrontEndService): Problem[] {
    return [
        ...checkDockerName("name", name),
        ...(servers.length > 0
            ? []
            : [{ propertyPath: "servers", reason: "is empty: give the name and port of at least one container" }]),
        ...servers.flatMap(({ host, port }, index) => [
            ...(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?$/.test(host)
                ? []
                : [
                      {
                          propertyPath: `servers[${index}].host`,
                          reason: `"${host}" is not allowed: give a container's name on the service's network, or its IPv4 address`,
                      },
                  ]),
            ...checkPort(`servers[${index}].port`, port),
        ]),
        ...(healthPath === undefined || /^\/[^\s"'\\]*$/.test(healthPath)
            ? []
            : [{ propertyPath: "healthPath", reason: `"${healthPath}" is not the path of a URL, such as /health` }]),
    ];
}

/** A problem for each known value that equals an earlier one, ignoring case. */
function checkDiffer(
    values: { propertyPath: string; value: pulumi.Input<string> }[],
    advice: string,
    at: At,
): Problem[] {
    const known = values.flatMap(({ propertyPath, value }) => (isPlain(value) ? [{ propertyPath, value }] : []));
    return known.flatMap(({ propertyPath, value }, index) => {
        const first = known.findIndex((other) => other.value.toLowerCase() === value.toLowerCase());
        const shown = value === "" ? "no name" : `"${value}"`;
        return first === index
            ? []
            : [{ propertyPath, reason: `${shown} is ${at(known[first]?.propertyPath ?? "")} already: ${advice}` }];
    });
}
