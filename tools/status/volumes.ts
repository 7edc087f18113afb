import type { DockerEngine } from "../../components/engine/dockerEngine";
import type { ExpectedVolume } from "./expected";
import type { DeviceStatus, VolumeStatus } from "./report";

/** Time limit, in seconds, for counting the usage of a volume. With too many files, the usage is left out. */
const COUNT_SECONDS = 10;

/** A node's report about one of its volumes. */
export interface MeasuredVolume {
    name: string;
    node: string;
    usedBytes?: number;
    device?: MeasuredDevice;
}

/** The device that contains a volume, as its node sees it. */
export interface MeasuredDevice {
    /** Distinguishes it from every other device of the host. */
    number: string;
    name: string;
    usedBytes: number;
    freeBytes: number;
}

/** Queries a node about its volume, which needs no privileges on the host. A stopped node returns nothing. */
export async function measureVolume(
    engine: Pick<DockerEngine, "run">,
    { name, node, path }: ExpectedVolume,
    isUp: boolean,
): Promise<MeasuredVolume> {
    if (!isUp) {
        return { name, node };
    }
    const ask = async (...command: string[]) => {
        const { code, output } = await engine.run(node, command).catch(() => ({ code: -1, output: "" }));
        return code === 0 ? output.trim() : undefined;
    };
    const [number, room, used] = await Promise.all([
        ask("stat", "-c", "%d", path),
        // POSIX defines these two options, and the columns of the output.
        ask("df", "-P", "-k", path),
        ask("timeout", String(COUNT_SECONDS), "du", "-s", "-k", path),
    ]);
    const usedBytes = kibibytes(used?.split(/\s+/)[0]);
    const device = number === undefined || room === undefined ? undefined : deviceIn(number, room);
    return {
        name,
        node,
        ...(usedBytes === undefined ? {} : { usedBytes }),
        ...(device === undefined ? {} : { device }),
    };
}

/** Names each device once, with its volumes. */
export function devicesOf(measured: MeasuredVolume[]): { volumes: VolumeStatus[]; devices: DeviceStatus[] } {
    const byNumber = new Map(measured.flatMap(({ device }) => (device === undefined ? [] : [[device.number, device]])));
    const found = [...byNumber.values()];
    const titleOf = ({ name, number }: MeasuredDevice) =>
        found.filter((other) => other.name === name).length > 1 ? `${name} (${number})` : name;
    return {
        volumes: measured.map(({ device, ...volume }) =>
            device === undefined ? volume : { ...volume, device: titleOf(device) },
        ),
        devices: found.map((device) => ({
            name: titleOf(device),
            volumes: measured.filter((volume) => volume.device?.number === device.number).map(({ name }) => name),
            usedBytes: device.usedBytes,
            freeBytes: device.freeBytes,
        })),
    };
}

function deviceIn(number: string, room: string): MeasuredDevice | undefined {
    const [name = "", , used, free] = room.split("\n").at(-1)?.split(/\s+/) ?? [];
    const [usedBytes, freeBytes] = [kibibytes(used), kibibytes(free)];
    return usedBytes === undefined || freeBytes === undefined ? undefined : { number, name, usedBytes, freeBytes };
}

function kibibytes(text: string | undefined): number | undefined {
    return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) * 1024 : undefined;
}
