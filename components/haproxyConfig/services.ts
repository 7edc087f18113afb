import { hostAcl, section } from "./section";
import { ASKED_FOR_BODY } from "./unsentBodies";

/** A service other than a store, as configured in haproxy.cfg. */
export interface HaproxyService {
    name: string;
    /** Public hostname. */
    hostname: string;
    servers: { host: string; port: number }[];
    /** Path that answers with a status from 200 to 399 while a server can serve. */
    healthPath: string;
}

/** The engine's own name server, available in every container on a user-defined network. */
const ENGINE_NAME_SERVER = "127.0.0.11:53";

/** Name of the ACL that is true for a service's hostname. */
export function aclOf({ name }: HaproxyService): string {
    return `service:${name}:host`;
}

export function serviceAcl(service: HaproxyService): string {
    return hostAcl(aclOf(service), service.hostname);
}

export function serviceRoute(service: HaproxyService): string {
    return `use_backend ${backendOf(service)} if ${aclOf(service)}`;
}

/** The backend of a service. Its containers may be replaced and get other addresses, so they are looked up by name. */
export function serviceBackend(service: HaproxyService): string {
    return section(`Another service: ${service.hostname}.`, `backend ${backendOf(service)}`, [
        "balance leastconn",
        ...ASKED_FOR_BODY,
        "option httpchk",
        `http-check send meth GET uri ${service.healthPath} ver HTTP/1.1 hdr Host ${service.hostname.toLowerCase()}`,
        "http-check expect status 200-399",
        // A server is up once its name resolves, and so often fails its first check. Short intervals make sure that the
        // next checks follow soon.
        "default-server inter 2s resolvers engine resolve-prefer ipv4 init-addr none init-state up",
        ...service.servers.map(({ host, port }, index) => `server server${index + 1} ${host}:${port}`),
    ]);
}

/** Configures the lookup of container names (HAProxy manual, section 5.3). */
export function nameResolution(): string {
    return section("Names of other services' containers are the Docker daemon's to know.", "resolvers engine", [
        `nameserver engine ${ENGINE_NAME_SERVER}`,
        "accepted_payload_size 8192",
        "hold valid 5s",
    ]);
}

function backendOf({ name }: HaproxyService): string {
    return `service-${name}`;
}
