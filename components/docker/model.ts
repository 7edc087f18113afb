/** The engine's information about a container's health. */
export interface ContainerHealth {
    /** `healthy`, `unhealthy` or `starting`; `none` without a health check. */
    health: string;
    /** `running`, `restarting`, `exited` …; `gone` if there is no such container. */
    state: string;
    /** Output of the last health check. */
    lastCheck: string;
    /** Time of its last start, in milliseconds since 1970 by the engine's clock. */
    startedAt: number;
}

/** How a container that does one task and ends has ended. */
export interface ContainerEnding {
    /** Its exit code. */
    code: number;
    /** Time of its end, in milliseconds since 1970 by the engine's clock. */
    finishedAt: number;
}

/** A container as the engine lists it. */
export interface ListedContainer {
    name: string;
    id: string;
    /** `running`, `restarting`, `exited`, `paused` … */
    state: string;
    imageId: string;
    labels: { [label: string]: string };
    /** Names of the networks that it is attached to. */
    networks: string[];
    /** Its IPv4 addresses, by network; empty while it isn't running. */
    addresses: { [network: string]: string };
}

/** A volume as the engine lists it. */
export interface ListedVolume {
    name: string;
    labels: { [label: string]: string };
    /** Folder of the host that it is bound to. Undefined for a volume in Docker's own data folder. */
    hostPath: string | undefined;
}

/** A folder of the host that a running container can write to. */
export interface FolderMount {
    /** Name of the container. */
    container: string;
    path: string;
}

/** An engine's information about itself. */
export interface EngineInfo {
    /** Number of CPUs available for containers. */
    cpus: number;
    /** Data folder on its host. */
    dataFolder: string;
    /** Whether it runs without root privileges (rootless mode). */
    rootless: boolean;
    /** Whether users in containers are mapped to other users on its host (`userns-remap`). */
    remapsUsers: boolean;
    /** Whether it can limit the memory of containers. */
    limitsMemory: boolean;
    /** Whether it can limit the CPU time of containers. */
    limitsCpus: boolean;
    /** Whether it has control groups at all. An engine without them accepts every limit, to no effect. */
    hasControlGroups: boolean;
}

/** How a command in a container has ended. */
export interface CommandResult {
    code: number;
    /** Its combined standard output and standard error. */
    output: string;
}

/** An IPv4 network as the engine lists it. */
export interface EngineNetwork {
    name: string;
    /** Its subnet, in CIDR notation. */
    subnet: string;
    /** The host's own address on it. */
    gateway: string;
    /** Whether it is an internal network, without outbound access. */
    internal: boolean;
    /** `bridge` on one host, `overlay` over the hosts of a swarm. */
    driver: string;
    /** Whether an overlay network encrypts what it sends between hosts. */
    encrypted: boolean;
    labels: { [label: string]: string };
}

/** A TCP port of the host that a container publishes. */
export interface PublishedPort {
    container: string;
    address: string;
    port: number;
}
