import { LABELS } from "../naming/labels";
import type { NodePlace } from "../store/topology";

/** What is known of volumes that were there before the node, which have no labels of ours. */
export function volumesLabels({ drives }: NodePlace): { [name: string]: string } {
    const [first] = drives;
    if (first?.existing !== true) {
        return {};
    }
    const ofOneDrive: string[] = [LABELS.node, LABELS.drive];
    const alike = Object.entries(first.labels).filter(([label]) => !ofOneDrive.includes(label));
    return { ...Object.fromEntries(alike), [LABELS.volumes]: drives.map(({ volumeName }) => volumeName).join(",") };
}

/** A volume of Docker's local driver that stands on a folder of the host. */
export function boundTo(hostPath: string): { driver: string; driverOpts: { [name: string]: string } } {
    return { driver: "local", driverOpts: { type: "none", o: "bind", device: hostPath } };
}
