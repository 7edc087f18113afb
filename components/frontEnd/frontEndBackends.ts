import * as pulumi from "@pulumi/pulumi";
import { checkDockerName, checkHostname, checkPort, checkTrustedNetworks } from "../inputs/inputChecks";
import { under, type Problem } from "../inputs/problem";
import type { ClusterEndpoints } from "../traffic/clusterEndpoints";

/** One store behind a front end. */
export interface FrontEndStore {
    /**
     * Distinguishes it from the front end's other stores, as part of the names of its backends: lower-case letters, digits and hyphens,
     * 40 characters at most. Default: none, which one store of a front end may have. Another name takes the store out until
     * two health checks were good.
     */
    name?: string;
    /** The cluster: {@link StorageCluster.endpoints}, known once every node is healthy. A store more replaces the proxy. */
    cluster: pulumi.Input<ClusterEndpoints>;
    /** Public hostname of its S3 API. A change is loaded without replacing the proxy. */
    s3Host: string;
    /** Public hostname of its console, another one. A change is loaded without replacing the proxy. */
    consoleHost: string;
    /**
     * Networks, in CIDR notation, from which its admin API may be used on the S3 hostname. A network that holds a gateway of
     * the proxy's own networks is refused: whoever comes by way of the Docker host itself, and every IPv6 client, has that
     * address. Default: none, 403 for everybody. A change is loaded without replacing the proxy.
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, that the console's hostname is open to; others get 403. Refused where it holds a
     * gateway, as for `adminNetworks`. Default: open to everybody. A change is loaded without replacing the proxy.
     */
    consoleNetworks?: string[];
}

/** Another service, by HTTP, behind a front end: an application beside the store, say. WebSockets pass. */
export interface FrontEndService {
    /** Part of the name of its backend: lower-case letters, digits and hyphens, 40 characters at most. */
    name: string;
    /** Its public hostname. A change is loaded without replacing the proxy. */
    hostname: string;
    /** Name of the Docker network that its containers are on, which the proxy joins. A change replaces the proxy. */
    networkName: pulumi.Input<string>;
    /** Its containers. A change is loaded without replacing the proxy. */
    servers: FrontEndServiceServer[];
    /** Path that answers with a status from 200 to 399 while a container can serve. Default: `/`. */
    healthPath?: string;
}

/** One container of a service. */
export interface FrontEndServiceServer {
    /** Its name or alias on the service's network, looked up again each few seconds, or its IPv4 address. */
    host: string;
    /** Port that it listens on, without TLS, 1 to 65535. */
    port: number;
}

/** The properties of a front end that say what is behind it. */
export interface FrontEndBackends {
    cluster?: pulumi.Input<ClusterEndpoints>;
    s3Host?: string;
    consoleHost?: string;
    adminNetworks?: string[];
    consoleNetworks?: string[];
    stores?: FrontEndStore[];
    services?: FrontEndService[];
}

/** A store without its cluster: what can be checked before that exists. */
export type StoreWithoutCluster = Omit<FrontEndStore, "cluster">;

const SHORT_FORM = ["cluster", "s3Host", "consoleHost", "adminNetworks", "consoleNetworks"] as const;

/** The stores of a front end; `s3Host` and what belongs to it are the short form for one. */
export function storesOf({ stores, ...args }: FrontEndBackends): StoreWithoutCluster[] {
    const { s3Host = "", consoleHost = "", adminNetworks, consoleNetworks } = args;
    return stores ?? [{ s3Host, consoleHost, adminNetworks, consoleNetworks }];
}

/** The clusters of {@link storesOf}, in the same order. */
export function clustersOf({ stores, cluster }: FrontEndBackends): (pulumi.Input<ClusterEndpoints> | undefined)[] {
    return stores?.map((store) => store.cluster) ?? [cluster];
}

/** Path of a property of the store at a place. */
export function storePath({ stores }: FrontEndBackends, place: number): string {
    return stores === undefined ? "" : `stores[${place}].`;
}

/** Every public hostname, in one order. */
export function hostnamesOf(args: FrontEndBackends): string[] {
    return [
        ...storesOf(args).flatMap(({ s3Host, consoleHost }) => [s3Host, consoleHost]),
        ...(args.services ?? []).map(({ hostname }) => hostname),
    ];
}

/** Every problem of what is behind a front end that is seen without asking anyone. */
export function checkBackends(args: FrontEndBackends): Problem[] {
    const both = SHORT_FORM.filter((property) => args.stores !== undefined && args[property] !== undefined);
    if (both.length > 0) {
        const reason = "and stores exclude each other: it is the short form for one store, so give it there";
        return both.map((propertyPath) => ({ propertyPath, reason }));
    }
    if (args.stores?.length === 0) {
        return [{ propertyPath: "stores", reason: "is empty: give at least one store" }];
    }
    const { services = [] } = args;
    const names = (args.stores ?? []).map(({ name }, place) => ({
        propertyPath: `stores[${place}].name`,
        value: name ?? "",
    }));
    const hostnames = [
        ...storesOf(args).flatMap(({ s3Host, consoleHost }, place) => [
            { propertyPath: `${storePath(args, place)}s3Host`, value: s3Host },
            { propertyPath: `${storePath(args, place)}consoleHost`, value: consoleHost },
        ]),
        ...services.map(({ hostname }, place) => ({ propertyPath: `services[${place}].hostname`, value: hostname })),
    ];
    return [
        ...names.flatMap(({ propertyPath, value }) => (value === "" ? [] : checkDockerName(propertyPath, value))),
        ...checkDiffer(names, "give each store a name of its own"),
        ...hostnames.flatMap(({ propertyPath, value }) => checkHostname(propertyPath, value)),
        ...checkDiffer(
            hostnames.filter(({ value }) => value !== ""),
            "give each a hostname of its own (case doesn't count)",
        ),
        ...services.flatMap((service, place) => under(`services[${place}]`, checkService(service))),
        ...checkDiffer(
            services.map(({ name }, place) => ({ propertyPath: `services[${place}].name`, value: name })),
            "give each service a name of its own",
        ),
    ];
}

/** The networks that are let in where others are not: none may hold a gateway of the proxy's own networks. */
export function checkTrust(args: FrontEndBackends, gateways: string[]): Problem[] {
    return storesOf(args).flatMap(({ adminNetworks = [], consoleNetworks }, place) => {
        const path = storePath(args, place);
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

/** Stores whose cluster was forgotten. */
export function checkClusters(args: FrontEndBackends): Problem[] {
    return clustersOf(args).flatMap((cluster, place) =>
        cluster === undefined
            ? [
                  {
                      propertyPath: `${storePath(args, place)}cluster`,
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
        ...servers.flatMap(({ host, port }, place) => [
            ...(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?$/.test(host)
                ? []
                : [
                      {
                          propertyPath: `servers[${place}].host`,
                          reason: `"${host}" is not allowed: give a container's name on the service's network, or its IPv4 address`,
                      },
                  ]),
            ...checkPort(`servers[${place}].port`, port),
        ]),
        ...(healthPath === undefined || /^\/[^\s"'\\]*$/.test(healthPath)
            ? []
            : [{ propertyPath: "healthPath", reason: `"${healthPath}" is not the path of a URL, such as /health` }]),
    ];
}

/** Every value that another one before it has already, in whatever case. */
function checkDiffer(values: { propertyPath: string; value: string }[], advice: string): Problem[] {
    return values.flatMap(({ propertyPath, value }, place) => {
        const first = values.findIndex((other) => other.value.toLowerCase() === value.toLowerCase());
        const shown = value === "" ? "no name" : `"${value}"`;
        return first === place
            ? []
            : [{ propertyPath, reason: `${shown} is ${values[first]?.propertyPath} already: ${advice}` }];
    });
}
