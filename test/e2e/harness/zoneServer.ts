import type { DockerHost } from "./dockerHost";
import { furtherImage } from "./testRun";

/** A DNS zone that clients with a key can update (RFC 2136). */
export interface UpdatableZone {
    /** Its name, such as `example.test`. All hostnames are below it. */
    name: string;
    /** Name and secret, base64, of the TSIG key (RFC 8945), which is used with HMAC-SHA256. */
    key: { name: string; secret: string };
    /** CNAME records: name → target, both hostnames below the zone. */
    aliases: { [name: string]: string };
}

/** Writes the name server's files to a writable place, then executes it. */
const START_SCRIPT =
    'cd /tmp && mkdir database && printf %s "$CONFIGURATION" > knot.conf && printf %s "$ZONE" > zone && exec knotd -c knot.conf';

/**
 * Starts a container with the zone's name server Knot DNS, which listens on an address of the host.
 *
 * @param container Name of the container.
 * @param hostnames Hostnames below the zone that have that address too, also wildcard names.
 */
export async function startZoneServer(
    host: DockerHost,
    container: string,
    address: string,
    hostnames: string[],
    zone: UpdatableZone,
): Promise<void> {
    const created = await host.docker.createContainer({
        name: container,
        Image: furtherImage("knot"),
        User: "0:0",
        Cmd: ["/bin/sh", "-c", START_SCRIPT],
        Env: [`CONFIGURATION=${configurationOf(zone, address)}`, `ZONE=${recordsOf(zone, address, hostnames)}`],
        HostConfig: { NetworkMode: "host" },
    });
    await created.start();
}

function configurationOf({ name, key }: UpdatableZone, address: string): string {
    return [
        "server:",
        "    rundir: /tmp",
        `    listen: ${address}@53`,
        "log:",
        "  - target: stdout",
        "    any: info",
        "database:",
        "    storage: /tmp/database",
        "key:",
        `  - id: ${key.name}`,
        "    algorithm: hmac-sha256",
        `    secret: ${key.secret}`,
        "acl:",
        "  - id: update",
        `    key: ${key.name}`,
        "    action: update",
        "zone:",
        `  - domain: ${name}`,
        "    file: /tmp/zone",
        "    acl: update",
        "",
    ].join("\n");
}

/** The zone file. Its records live for a second, so that no resolver remembers the one of a former challenge. */
function recordsOf({ name, aliases }: UpdatableZone, address: string, hostnames: string[]): string {
    return [
        `$ORIGIN ${name}.`,
        "$TTL 1",
        `@ SOA names.${name}. nobody.${name}. 1 60 60 3600 1`,
        `@ NS names.${name}.`,
        ...["names", ...hostnames.map((hostname) => `${hostname}.`)].map((hostname) => `${hostname} A ${address}`),
        ...Object.entries(aliases).map(([alias, target]) => `${alias}. CNAME ${target}.`),
        "",
    ].join("\n");
}
