import type { EngineNetwork } from "../docker/model";
import { addressAt, networksOverlap, sameNetwork } from "../naming/ipv4Network";
import type { HostNetwork } from "../docker/hostRoutes";
import type { Problem } from "../checks/problem";
import { onEngine, type Requirement } from "./requirement";

/** A network that will be created. */
export interface WantedNetwork {
    name: string;
    /** Property that sets its subnet. */
    propertyPath: string;
    /** Its subnet, in CIDR notation. */
    subnet: string;
    /** What it is named after. Default: its name isn't checked. */
    owner?: NetworkOwner;
}

/** The cluster or proxy that a network belongs to. */
export interface NetworkOwner {
    /** Property that sets its name. */
    propertyPath: string;
    /** Label with its name on all its networks. */
    label: string;
    name: string;
}

/** Networks can be created: all of a deployment on one host, since they may overlap each other. */
export function networksAreFree(host: string | undefined, networks: WantedNetwork[]): Requirement {
    return onEngine(host, async ({ engine, local }) => {
        // Read before the engine's own networks: a network that is created meanwhile must not look like a foreign one.
        const ofHost = networks.length === 0 ? [] : ((await local?.networks()) ?? []);
        return networks.length === 0 ? [] : checkNetworks(networks, await engine.networks(), ofHost);
    });
}

/**
 * Conflicts of networks that will be created: with the names and subnets of networks of the engine, with each other, and with
 * networks that the host itself reaches. A network that already exists takes no addresses away from the host.
 *
 * @param present Networks of the engine.
 * @param ofHost Networks of the host's interfaces and routes. Those of the engine's own bridges are recognised by their
 * subnets.
 */
export function checkNetworks(networks: WantedNetwork[], present: EngineNetwork[], ofHost: HostNetwork[]): Problem[] {
    const strangers = ofHost.filter((other) => !present.some(({ subnet }) => sameNetwork(subnet, other.subnet)));
    const used = [...networks, ...present, ...ofHost].map(({ subnet }) => subnet);
    let found: string[] | undefined;
    // Searched only for a message: most deployments have no conflict.
    const unusedFor = (index: number) => (found ??= unusedNetworks(used, networks.length))[index];
    return networks.flatMap((network, index) => [
        ...namesOnEngine(network, present),
        ...overlapsOnEngine(
            network,
            [
                ...present.filter((other) => networks.every((wanted) => wanted.name !== other.name)),
                ...networks.slice(0, index),
            ],
            () => unusedFor(index),
        ),
        ...(present.some((other) => other.name === network.name && sameNetwork(other.subnet, network.subnet))
            ? []
            : overlapsOnHost(network, strangers, () => unusedFor(index))),
    ]);
}

/**
 * Networks of the same name that belong to something else: some engines would create a second one, and then refuse every
 * container on either. On an overlay of a swarm, not every host knows the labels.
 */
function namesOnEngine({ name, owner }: WantedNetwork, present: EngineNetwork[]): Problem[] {
    const isTaken = present.some(
        (other) =>
            owner !== undefined &&
            other.name === name &&
            other.driver !== "overlay" &&
            other.labels[owner.label] !== owner.name,
    );
    return owner !== undefined && isTaken
        ? [
              {
                  propertyPath: owner.propertyPath,
                  reason:
                      `"${owner.name}" needs a Docker network ${name}, and one of that name exists that isn't of this deployment: ` +
                      "remove that one, or give another name here",
              },
          ]
        : [];
}

function overlapsOnEngine(
    { name, propertyPath, subnet }: WantedNetwork,
    others: Pick<EngineNetwork, "name" | "subnet">[],
    unused: () => string | undefined,
): Problem[] {
    return others
        .filter((other) => other.name !== name && networksOverlap(other.subnet, subnet))
        .map((other) => ({
            propertyPath,
            reason:
                `"${subnet}" overlaps with ${other.subnet} of the Docker network ${other.name}: ` +
                `give another${suchAs(unused())}`,
        }));
}

/** The first of the networks 10.200.0.0/24, 10.200.1.0/24 … 10.223.255.0/24 that overlap none of those in use. */
function unusedNetworks(used: string[], count: number): string[] {
    const candidates = Array.from({ length: 24 * 256 }, (_, index) => `${addressAt("10.200.0.0/24", index * 256)}/24`);
    return candidates.filter((network) => !used.some((subnet) => networksOverlap(subnet, network))).slice(0, count);
}

function suchAs(network?: string): string {
    return network === undefined ? "" : `, such as ${network}`;
}

/** One problem for each interface, with the smallest of its overlapping networks. */
function overlapsOnHost(
    { propertyPath, subnet }: WantedNetwork,
    others: HostNetwork[],
    unused: () => string | undefined,
): Problem[] {
    const found = others.filter((other) => networksOverlap(other.subnet, subnet));
    const prefix = (other: HostNetwork) => Number(other.subnet.split("/")[1]);
    const names = [...new Set(found.map((other) => other.interface))];
    return names.flatMap((name) => {
        const [other] = found
            .filter((network) => network.interface === name)
            .sort((one, two) => prefix(two) - prefix(one));
        return other === undefined
            ? []
            : [
                  {
                      propertyPath,
                      reason:
                          `"${subnet}" overlaps with ${other.subnet}, which this host reaches through its interface ${name}: this host ` +
                          `would lose access to it. Set ${propertyPath} to an unused network${suchAs(unused())}`,
                  },
              ];
    });
}
