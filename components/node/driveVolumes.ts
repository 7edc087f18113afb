import { LABELS } from "../naming/labels";
import type { NodeSpec } from "../store/topology";

/** Labels for a node's existing volumes, which were created before the node and have no labels of this library. */
export function volumesLabels({ drives }: NodeSpec): { [name: string]: string } {
    const [first] = drives;
    if (first?.existing !== true) {
        return {};
    }
    const ofOneDrive: string[] = [LABELS.node, LABELS.drive];
    const alike = Object.entries(first.labels).filter(([label]) => !ofOneDrive.includes(label));
    return { ...Object.fromEntries(alike), [LABELS.volumes]: drives.map(({ volumeName }) => volumeName).join(",") };
}

/** Arguments of a volume of Docker's local driver that is bound to a folder of the host. */
export function boundTo(hostPath: string): { driver: string; driverOpts: { [name: string]: string } } {
    return { driver: "local", driverOpts: { type: "none", o: "bind", device: hostPath } };
}
