import { isIPv4 } from "node:net";
import { shown } from "../../checks/inputChecks";
import { oneOf } from "../../checks/nearest";
import type { Problem } from "../../checks/problem";
import { reservedFor } from "../../naming/ipv4Network";
import type { StoreHost } from "../../args/hostArgs";
import { PROXY_COUNT } from "../../store/topology";

/** Minimum number of hosts of a cluster that spans several. */
const MINIMUM_COUNT = 2;

/** Maximum number of hosts: that of nodes in a pool. */
const MAXIMUM_COUNT = 64;

/** Every problem of a cluster's hosts that can be found without querying an engine. */
export function checkStoreHosts(hosts: StoreHost[]): Problem[] {
    return [
        ...checkHostCount(hosts.length),
        ...hosts.flatMap((host, index) => checkHost(host, index, hosts.slice(0, index))),
    ];
}

function checkHostCount(count: number): Problem[] {
    const found = `${count} ${count === 1 ? "host is" : "hosts are"} not allowed`;
    if (count < MINIMUM_COUNT) {
        const reason =
            `${found}: give at least ${MINIMUM_COUNT}, each such as ` +
            '{ name: "a", dockerHost: "ssh://user@a.example.com", address: "192.168.10.11" }; for one host leave hosts out';
        return [{ propertyPath: "hosts", reason }];
    }
    return count > MAXIMUM_COUNT
        ? [{ propertyPath: "hosts", reason: `${found}: give ${MINIMUM_COUNT} to ${MAXIMUM_COUNT}, such as 4` }]
        : [];
}

/** The check of each property that must be different on every host. */
const CHECKS = { name: checkName, dockerHost: checkDockerHost, address: checkHostAddress };

const EXAMPLES = { name: "b", dockerHost: "ssh://user@b.example.com", address: "192.168.10.12" };

function checkHost(host: StoreHost, index: number, before: StoreHost[]): Problem[] {
    const path = `hosts[${index}]`;
    return [
        ...(["name", "dockerHost", "address"] as const).flatMap((property) => {
            const propertyPath = `${path}.${property}`;
            const problems = CHECKS[property](propertyPath, host[property]);
            const same = before.findIndex((other) => other[property] === host[property]);
            if (problems.length > 0 || same < 0) {
                return problems;
            }
            const reason =
                `${shown(host[property])} is that of hosts[${same}] too: give each host its own, ` +
                `such as ${EXAMPLES[property]}`;
            return [{ propertyPath, reason }];
        }),
        ...checkCertPath(`${path}.certPath`, host),
        ...checkSocketPath(`${path}.socketPath`, host.socketPath),
    ];
}

function checkName(propertyPath: string, value: unknown): Problem[] {
    if (typeof value === "string" && /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/.test(value)) {
        return [];
    }
    const reason =
        `${shown(value)} is not allowed: lower-case letters, digits and hyphens, 20 characters at most, ` +
        "a letter first and no hyphen last, such as rack1-a";
    return [{ propertyPath, reason }];
}

/** A Docker host without its password. */
function withoutPassword(dockerHost: string): string {
    return dockerHost.replace(/:\/\/[^@]*:.*@/s, "://[secret]@");
}

/** Checks a Docker host by its text alone. */
function checkDockerHost(propertyPath: string, value: unknown): Problem[] {
    const refused = (reason: string): Problem[] => {
        const visible = typeof value === "string" ? withoutPassword(value) : value;
        return [{ propertyPath, reason: `${shown(visible)} ${reason}` }];
    };
    if (typeof value !== "string" || !URL.canParse(value) || !/^(unix|tcp|ssh):\/\/\S+$/.test(value)) {
        return refused(
            "is not a Docker host: give ssh://user@a.example.com, tcp://a.example.com:2376 (with certPath) " +
                "or unix:///var/run/docker.sock",
        );
    }
    const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(value);
    if (password !== "") {
        return refused("has a password, which Docker doesn't take: use a key, as in ssh://user@a.example.com");
    }
    if (protocol === "unix:") {
        return hostname === "" && pathname !== "/" && search === "" && hash === ""
            ? []
            : refused("is not allowed: give the path of a socket, such as unix:///var/run/docker.sock");
    }
    if (protocol === "ssh:") {
        return hostname !== "" && search === "" && hash === ""
            ? []
            : refused("is not allowed: give a host without a query, such as ssh://user@a.example.com");
    }
    const plain = username === "" && ["", "/"].includes(pathname) && search === "" && hash === "";
    return hostname !== "" && port !== "" && plain
        ? []
        : refused("is not allowed: give host and port, without a user or a path, such as tcp://a.example.com:2376");
}

/** Checks an address that the other hosts connect to. */
function checkHostAddress(propertyPath: string, value: unknown): Problem[] {
    if (typeof value !== "string" || !isIPv4(value)) {
        const reason = `${shown(value)} is not an IPv4 address: give the host's own in the network of all hosts, such as 192.168.10.11`;
        return [{ propertyPath, reason }];
    }
    const reserved = reservedFor(`${value}/32`);
    const reason =
        `${shown(value)} is not allowed: it belongs to ${reserved ?? ""}. Give the address at which the other hosts reach ` +
        "this one, such as 192.168.10.11";
    return reserved === undefined ? [] : [{ propertyPath, reason }];
}

/** Checks that certificates are given exactly for `tcp://`: without them the connection to the engine is not verified. */
function checkCertPath(propertyPath: string, { dockerHost, certPath }: StoreHost): Problem[] {
    const tcp = /^tcp:\/\//.test(dockerHost);
    const example = "a folder with ca.pem, cert.pem and key.pem, such as /etc/docker/certificates";
    if (tcp && certPath === undefined) {
        const reason =
            `is missing: without it ${shown(withoutPassword(dockerHost))} is a Docker daemon that verifies nobody. ` +
            `Give ${example}, or use ssh://`;
        return [{ propertyPath, reason }];
    }
    if (tcp && certPath === "") {
        return [{ propertyPath, reason: `"" is not a folder: give ${example}` }];
    }
    const reason = `${shown(certPath)} is only for tcp://: remove it, or set dockerHost to tcp://a.example.com:2376`;
    return tcp || certPath === undefined ? [] : [{ propertyPath, reason }];
}

/** Checks the path of the engine's socket on a host. */
function checkSocketPath(propertyPath: string, value: unknown): Problem[] {
    const sound = value === undefined || (typeof value === "string" && /^\/[^\0]*[^\0/]$/.test(value));
    const reason = `${shown(value)} is not the path of a socket: give one such as /var/run/docker.sock, or leave it out`;
    return sound ? [] : [{ propertyPath, reason }];
}

/** Every problem of the names of hosts that are down. */
export function checkUnreachableHosts(hosts: StoreHost[], unreachableHosts: string[]): Problem[] {
    const names = hosts.map(({ name }) => name);
    const propertyPath = "unreachableHosts";
    const unknown = unreachableHosts.flatMap((name, index) =>
        names.includes(name)
            ? []
            : [
                  {
                      propertyPath: `${propertyPath}[${index}]`,
                      reason: `${shown(name)} is not the name of a host: ${oneOf(name, names)}`,
                  },
              ],
    );
    const reason = "names every host: at least one must answer";
    return names.every((name) => unreachableHosts.includes(name)) ? [...unknown, { propertyPath, reason }] : unknown;
}

/** Every problem of the choice of the hosts that get a proxy. */
export function checkProxyHosts(hosts: StoreHost[] | undefined, frontEndHosts: string[] | undefined): Problem[] {
    const propertyPath = "frontEndHosts";
    if (hosts === undefined) {
        const reason = `${JSON.stringify(frontEndHosts)} needs hosts: give at least ${MINIMUM_COUNT} there, or remove frontEndHosts`;
        return frontEndHosts === undefined ? [] : [{ propertyPath, reason }];
    }
    if (hosts.length === 0) {
        return [];
    }
    const names = hosts.map(({ name }): unknown => name).filter((name) => typeof name === "string");
    const example = `such as ${JSON.stringify(names.slice(0, 2))}`;
    const most = `${PROXY_COUNT} of them, since a node network has addresses for ${PROXY_COUNT} proxies`;
    if (frontEndHosts === undefined) {
        const reason = `is missing: with ${hosts.length} hosts, name those with a proxy, at most ${most}, ${example}`;
        return hosts.length > PROXY_COUNT ? [{ propertyPath, reason }] : [];
    }
    if (frontEndHosts.length === 0) {
        const reason = `is empty: name the hosts with a proxy, 1 to ${most}, ${example}`;
        return [{ propertyPath, reason }];
    }
    const count = `has ${frontEndHosts.length} names: give at most ${most}, ${example}`;
    return [
        ...(frontEndHosts.length > PROXY_COUNT ? [{ propertyPath, reason: count }] : []),
        ...frontEndHosts.flatMap((name: unknown, index) => {
            const path = `${propertyPath}[${index}]`;
            if (typeof name !== "string" || !names.includes(name)) {
                const reason = `${shown(name)} is not the name of a host: ${oneOf(String(name), names)}`;
                return [{ propertyPath: path, reason }];
            }
            const same = frontEndHosts.indexOf(name);
            const reason = `${shown(name)} is named in frontEndHosts[${same}] already: name each host once, ${example}`;
            return same < index ? [{ propertyPath: path, reason }] : [];
        }),
    ];
}
