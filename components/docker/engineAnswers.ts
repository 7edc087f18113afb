import type Docker from "dockerode";
import { gatewayOf } from "../naming/ipv4Network";
import type {
    ContainerEnding,
    ContainerHealth,
    EngineInfo,
    EngineNetwork,
    FolderMount,
    ListedContainer,
    ListedVolume,
    PublishedPort,
} from "./model";

/** State of a container in the API's answer. */
export type ContainerState = Docker.ContainerInspectInfo["State"];

/** The health of a container. A state that is undefined is that of a missing one. */
export function healthOf(state: ContainerState | undefined): ContainerHealth {
    if (state === undefined) {
        return { health: "none", state: "gone", lastCheck: "", startedAt: 0 };
    }
    return {
        health: state.Health?.Status ?? "none",
        state: state.Status,
        lastCheck: (state.Health?.Log.at(-1)?.Output ?? "").trim(),
        startedAt: Date.parse(state.StartedAt),
    };
}

/** How a container has ended. Undefined while it runs; `gone` for a missing one, whose state is undefined. */
export function endingOf(state: ContainerState | undefined): ContainerEnding | "gone" | undefined {
    if (state === undefined) {
        return "gone";
    }
    return state.Status === "exited" ? { code: state.ExitCode, finishedAt: Date.parse(state.FinishedAt) } : undefined;
}

/** Name of a listed container. */
export function nameOf({ Names: [name = ""] }: Pick<Docker.ContainerInfo, "Names">): string {
    return name.replace(/^\//, "");
}

/** A listed container. */
export function listedContainer(container: Docker.ContainerInfo): ListedContainer {
    const { Networks: networks } = container.NetworkSettings;
    return {
        name: nameOf(container),
        id: container.Id,
        state: container.State,
        imageId: container.ImageID,
        labels: container.Labels,
        networks: Object.keys(networks),
        addresses: Object.fromEntries(
            Object.entries(networks).map(([network, { IPAddress: address }]) => [network, address]),
        ),
    };
}

/** Those of listed containers that mount a volume, with the mount path; running ones first. */
export function mountsOf(volume: string, containers: Docker.ContainerInfo[]): { container: string; folder: string }[] {
    const rank = ({ State: state }: Docker.ContainerInfo) => (state === "running" ? 0 : 1);
    return containers
        .sort((one, other) => rank(one) - rank(other))
        .flatMap(({ Id: container, Mounts: mounts }) => {
            const mount = mounts.find(({ Name: name }) => name === volume);
            return mount === undefined ? [] : [{ container, folder: mount.Destination }];
        });
}

/** Folders of the host that listed containers can write to. */
export function writableFolders(containers: Docker.ContainerInfo[]): FolderMount[] {
    return containers.flatMap((container) =>
        container.Mounts.filter(({ Type: type, RW: isWritable }) => type === "bind" && isWritable).map(
            ({ Source: path }) => ({ container: nameOf(container), path }),
        ),
    );
}

/** TCP ports that listed containers publish on the host. */
export function portsOf(containers: Docker.ContainerInfo[]): PublishedPort[] {
    return containers.flatMap((container) =>
        container.Ports.filter(({ Type: type, PublicPort: port }) => type === "tcp" && port > 0).map(
            ({ IP: address, PublicPort: port }) => ({ container: nameOf(container), address, port }),
        ),
    );
}

/** The IPv4 networks among listed ones. */
export function ipv4NetworksOf(networks: Docker.NetworkInspectInfo[]): EngineNetwork[] {
    return networks.flatMap(({ Name: name, IPAM: ipam, Internal: internal, Driver: driver, ...network }) =>
        (ipam?.Config ?? []).flatMap(({ Subnet: subnet, Gateway: gateway, IPRange: ipRange }) =>
            subnet !== undefined && !subnet.includes(":")
                ? [
                      {
                          name,
                          subnet,
                          gateway: gateway ?? gatewayOf(subnet, ipRange),
                          internal,
                          driver,
                          encrypted: network.Options?.["encrypted"] !== undefined,
                          labels: { ...network.Labels },
                      },
                  ]
                : [],
        ),
    );
}

/** The IPv6 networks among listed ones. */
export function ipv6NetworksOf(networks: Docker.NetworkInspectInfo[]): Pick<EngineNetwork, "name" | "subnet">[] {
    return networks.flatMap(({ Name: name, IPAM: ipam }) =>
        (ipam?.Config ?? []).flatMap(({ Subnet: subnet }) => (subnet?.includes(":") ? [{ name, subnet }] : [])),
    );
}

/** A listed volume. */
export function listedVolume({ Name: name, Labels: labels, Options: options }: Docker.VolumeInspectInfo): ListedVolume {
    // A volume without labels has null.
    return { name, labels: { ...labels }, hostPath: options?.["device"] };
}

/** What an image says of its release, by a label or by the variable of HAProxy's official images. Undefined without it. */
export function releaseOf(image: Docker.ImageInspectInfo | undefined): string | undefined {
    const { Labels: labels, Env: variables } = image?.Config ?? {};
    const [, release] =
        (variables ?? []).map((one) => one.split("=")).find(([name]) => name === "HAPROXY_VERSION") ?? [];
    return (labels as { [label: string]: string } | null | undefined)?.["org.opencontainers.image.version"] ?? release;
}

/** An engine's information about itself. */
export function engineInfo(answer: unknown): EngineInfo {
    const info = answer as {
        NCPU: number;
        DockerRootDir: string;
        SecurityOptions?: string[];
        MemoryLimit?: boolean;
        CpuCfsQuota?: boolean;
        CgroupDriver?: string;
    };
    const has = (option: string) => (info.SecurityOptions ?? []).some((text) => text.split(",")[0] === option);
    return {
        cpus: info.NCPU,
        dataFolder: info.DockerRootDir,
        rootless: has("name=rootless"),
        remapsUsers: has("name=userns"),
        limitsMemory: info.MemoryLimit !== false,
        limitsCpus: info.CpuCfsQuota !== false,
        hasControlGroups: info.CgroupDriver !== "none",
    };
}
