/** Name of the container that writes a node's files, and then ends. */
export function writerName(node: string): string {
    return `${node}-prepare`;
}

/** Name of the container in which another store is tried on a node's drives. */
export function trialName(node: string): string {
    return `${node}-trial`;
}

/** Its name once the other store was found to have what the former one had. */
export function passedTrialName(node: string): string {
    return `${node}-trial-passed`;
}

/** Name of the volume with the files that the other store reads at its start. */
export function trialFilesName(node: string): string {
    return `${trialName(node)}-files`;
}

/** Name of the container that gives a node's files to another store's user. */
export function changeOwnerName(node: string): string {
    return `${trialName(node)}-owner`;
}

/** Name of the container that only serves a node's drives to another node, which is tried alone. */
export function driveServerName(node: string): string {
    return `${node}-trial-drives`;
}
