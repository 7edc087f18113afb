import type Docker from "dockerode";
import { SECRETS_PATH } from "../components/naming/containerFiles";

/** A node's own container, as the engine describes it. */
export interface OwnContainer {
    Id: string;
    Name: string;
    Image: string;
    State: { Running: boolean; Status: string; ExitCode: number };
    Config: { User: string; Env: string[]; Labels: { [label: string]: string } };
    HostConfig: Omit<Docker.HostConfig, "Sysctls" | "Tmpfs" | "ExtraHosts" | "SecurityOpt" | "CapDrop"> & {
        Sysctls?: { [name: string]: string };
        Tmpfs?: { [path: string]: string };
        ExtraHosts?: string[] | null;
        SecurityOpt?: string[];
        CapDrop?: string[];
    };
    Mounts: { Name?: string; Source: string; Destination: string }[];
    NetworkSettings: {
        Networks: { [network: string]: { IPAddress: string; IPAMConfig?: { IPv4Address?: string } | null } };
    };
}

/** The drives of a node, in their order. */
export function drivesOf({
    Mounts: mounts,
}: Pick<OwnContainer, "Mounts">): { volumeName: string; mountPath: string }[] {
    return mounts
        .filter(({ Destination: path }) => path.startsWith("/data/"))
        .map(({ Destination: mountPath, ...mount }) => ({ mountPath, volumeName: nameOf(mount) }))
        .sort((one, other) => one.mountPath.localeCompare(other.mountPath, "en", { numeric: true }));
}

/** The volume with a node's secrets. Undefined if it has none. */
export function secretsVolumeOf({ Mounts: mounts }: Pick<OwnContainer, "Mounts">): string | undefined {
    const mount = mounts.find(({ Destination: path }) => path === SECRETS_PATH);
    return mount === undefined ? undefined : nameOf(mount);
}

function nameOf({ Name: name, Source: source }: { Name?: string; Source: string }): string {
    return name ?? source;
}
