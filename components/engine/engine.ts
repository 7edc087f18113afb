/** What the engine says of a container's health. */
export interface ContainerHealth {
    /** `healthy`, `unhealthy` or `starting`; `none` without a health check. */
    health: string;
    /** `running`, `restarting`, `exited` …; `gone` where there is no such container. */
    state: string;
    /** What the last health check printed. */
    lastCheck: string;
    /** When it was started last, in milliseconds since 1970 by the engine's clock. */
    startedAt: number;
}

/** How a container that does one thing and ends has ended. */
export interface ContainerEnding {
    /** Its exit code. */
    code: number;
    /** When it ended, in milliseconds since 1970 by the engine's clock. */
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
    /** Names of the networks that it is on. */
    networks: string[];
    /** Its IPv4 addresses, by network; empty while it isn't running. */
    addresses: { [network: string]: string };
}

/** A volume as the engine lists it. */
export interface ListedVolume {
    name: string;
    labels: { [label: string]: string };
    /** Folder of the host that it stands on; none for one in Docker's own data folder. */
    hostPath: string | undefined;
}

/** What an engine says of itself. */
export interface EngineInfo {
    /** CPUs that it has for containers. */
    cpus: number;
    /** Folder of its host where it keeps what it has. */
    dataFolder: string;
    /** Whether it runs without root. */
    rootless: boolean;
    /** Whether users of containers are other users on its host (`userns-remap`). */
    remapsUsers: boolean;
}

/** How a command in a container has ended. */
export interface CommandResult {
    code: number;
    /** What it printed, on both of its outputs. */
    output: string;
}

/** An IPv4 network as the engine lists it. */
export interface EngineNetwork {
    name: string;
    /** Its addresses, in CIDR notation. */
    subnet: string;
    /** The host's own address on it. */
    gateway: string;
    /** Whether nothing outside is reached from it. */
    internal: boolean;
}

/** A TCP port of the host that a container publishes. */
export interface PublishedPort {
    container: string;
    address: string;
    port: number;
}
