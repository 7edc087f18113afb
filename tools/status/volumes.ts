import type { HostEngine } from "../../components/docker/hosts";
import type { ExpectedVolume } from "../stack/expectedDeployment";
import type { DeviceStatus, VolumeStatus } from "./report";

/** Time limit, in seconds, for counting the usage of a volume. With too many files, the usage is left out. */
const COUNT_SECONDS = 10;

/** A node's report about one of its volumes. */
export interface MeasuredVolume {
    name: string;
    node: string;
    /** Name of the node's host. Undefined if the deployment names no hosts. */
    host?: string;
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
    engine: Pick<HostEngine, "run">,
    { name, node, path }: ExpectedVolume,
    isUp: boolean,
    host?: string,
): Promise<MeasuredVolume> {
    const volume = { name, node, ...(host === undefined ? {} : { host }) };
    if (!isUp) {
        return volume;
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
        ...volume,
        ...(usedBytes === undefined ? {} : { usedBytes }),
        ...(device === undefined ? {} : { device }),
    };
}

/** Names each device once, with its volumes. */
export function devicesOf(measured: MeasuredVolume[]): { volumes: VolumeStatus[]; devices: DeviceStatus[] } {
    const placed = measured.flatMap(({ device, host }) => (device === undefined ? [] : [{ ...device, host }]));
    // The kernels of two hosts number their devices alike.
    const found = [...new Map(placed.map((device) => [keyOf(device), device])).values()];
    const titleOf = ({ name, number, host }: PlacedDevice) => {
        const alike = found.filter((other) => other.name === name && other.host === host);
        return `${name}${alike.length > 1 ? ` (${number})` : ""}${host === undefined ? "" : ` on ${host}`}`;
    };
    return {
        volumes: measured.map(({ device, host, ...volume }) =>
            device === undefined ? volume : { ...volume, device: titleOf({ ...device, host }) },
        ),
        devices: found.map((device) => ({
            name: titleOf(device),
            volumes: measured
                .filter(
                    (volume) =>
                        volume.device !== undefined && keyOf({ ...volume.device, host: volume.host }) === keyOf(device),
                )
                .map(({ name }) => name),
            usedBytes: device.usedBytes,
            freeBytes: device.freeBytes,
        })),
    };
}

interface PlacedDevice extends MeasuredDevice {
    host: string | undefined;
}

function keyOf({ number, host = "" }: PlacedDevice): string {
    return `${host} ${number}`;
}

function deviceIn(number: string, room: string): MeasuredDevice | undefined {
    const [name = "", , used, free] = room.split("\n").at(-1)?.split(/\s+/) ?? [];
    const [usedBytes, freeBytes] = [kibibytes(used), kibibytes(free)];
    return usedBytes === undefined || freeBytes === undefined ? undefined : { number, name, usedBytes, freeBytes };
}

function kibibytes(text: string | undefined): number | undefined {
    return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) * 1024 : undefined;
}
