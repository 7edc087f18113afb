import { healthScript, startScript } from "../components/node/storeProcess";
import { CURRENT, LOG_DIRECTORY, SECRETS_PATH, SECRETS_VERSION } from "../components/naming/containerFiles";
import { addressAt } from "../components/naming/ipv4Network";
import type { ServiceProfile } from "../components/store/serviceProfile";
import type { NodeSpec } from "../components/store/topology";
import { drivesOf, type OwnContainer } from "./ownContainer";
import type { TrialOptions } from "./trialContainers";

/** The store that is tried, and the one that runs. */
export interface TriedStore {
    from: ServiceProfile;
    to: ServiceProfile;
    /** Image of the new store. */
    image: string;
    networkName: string;
    /** Number of the cluster's nodes. */
    nodeCount: number;
}

/** Variables whose values both stores understand, by their role in the profile. */
const SHARED = ["volumes", "address", "consoleAddress", "consoleUrl", "bucketDomains"] as const;

/**
 * A node's container with another store: as the node's own container is, only with that store's image, user, program and names of
 * variables, on the node network alone.
 *
 * @param files Volume with the files that the store reads at its start.
 */
export function trialOptions(
    own: OwnContainer,
    { name, address }: Pick<NodeSpec, "name" | "address">,
    { from, to, image, networkName, nodeCount }: TriedStore,
    files: string,
): TrialOptions {
    const clustered = nodeCount > 1;
    const { HostConfig: settings } = own;
    return {
        Image: image,
        User: to.user,
        Hostname: name,
        Entrypoint: ["/bin/sh", "-c", startScript(to, clustered), "store"],
        Cmd: to.command,
        Env: variablesOf(own.Config.Env, from, to),
        Healthcheck: { Test: ["CMD", "/bin/sh", "-c", healthScript(to, clustered)] },
        HostConfig: {
            NetworkMode: networkName,
            // Unlike with "unless-stopped", it ends for good at some time, and stays down when the engine restarts. A node of RustFS
            // may end a few times while its peers start: seen on a busy machine, where three times were too few.
            RestartPolicy: { Name: "on-failure", MaximumRetryCount: 10 },
            ReadonlyRootfs: settings.ReadonlyRootfs,
            Init: settings.Init,
            CapDrop: settings.CapDrop,
            SecurityOpt: settings.SecurityOpt,
            Sysctls: settings.Sysctls,
            LogConfig: settings.LogConfig,
            Memory: settings.Memory,
            MemorySwap: settings.MemorySwap,
            NanoCpus: settings.NanoCpus,
            Ulimits: settings.Ulimits,
            ExtraHosts: settings.ExtraHosts,
            Tmpfs: Object.fromEntries(
                Object.entries(settings.Tmpfs ?? {}).map(([path, options]) => [
                    path,
                    options.replace(/uid=\d+,gid=\d+/, ownerOptions(to.user)),
                ]),
            ),
            Binds: [
                ...drivesOf(own).map(({ volumeName, mountPath }) => `${volumeName}:${mountPath}`),
                `${files}:${SECRETS_PATH}:ro`,
            ],
        },
        NetworkingConfig: {
            EndpointsConfig: { [networkName]: { IPAMConfig: { IPv4Address: address }, Aliases: [name] } },
        },
    };
}

/** Multicast addresses, to which Linux opens no TCP connection. The first ones are MCAST-TEST-NET of RFC 5771. */
const NOWHERE = "233.252.0.0/16";

/**
 * A node's container from which its peers aren't to be reached, by their names' addresses. Each has an address of its own, since two
 * nodes at one address are an error for RustFS.
 */
export function withoutPeers(own: OwnContainer, peers: readonly string[]): OwnContainer {
    const hosts = own.HostConfig.ExtraHosts ?? [];
    const others = hosts.filter((entry) => !peers.some((peer) => entry.startsWith(`${peer}:`)));
    const nowhere = peers.map((peer, index) => `${peer}:${addressAt(NOWHERE, index + 1)}`);
    return { ...own, HostConfig: { ...own.HostConfig, ExtraHosts: [...others, ...nowhere] } };
}

/** The variables of a node's container, with the new store's names and values for those of the former one. */
function variablesOf(env: readonly string[], from: ServiceProfile, to: ServiceProfile): string[] {
    const own = new Map(env.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
    const former = [...(Object.values(from.variables) as string[]), ...Object.keys(from.environment), SECRETS_VERSION];
    const others = [...own].filter(([name]) => !former.includes(name));
    const { variables } = to;
    const set = (name: string | undefined, value: string | undefined): [string, string][] =>
        name === undefined || value === undefined ? [] : [[name, value]];
    const ofStore: [string, string][] = [
        ...Object.entries(to.environment),
        ...SHARED.flatMap((role) => set(variables[role], own.get(from.variables[role] ?? ""))),
        ...set(variables.consoleEnable, to.consoleEnableValue),
        ...set(variables.logLevel, to.logLevel),
        ...set(variables.logDirectory, LOG_DIRECTORY),
        // The update that follows the trial checks the drives by the stack's own setting.
        ...set(variables.drivesOnOneDevice, "true"),
        ...set(SECRETS_VERSION, CURRENT),
    ];
    const all = new Map<string, string>([...ofStore, ...others]);
    return [...all].map(([name, value]) => `${name}=${value}`);
}

function ownerOptions(user: string): string {
    const [uid, gid] = user.split(":");
    return `uid=${uid},gid=${gid}`;
}
