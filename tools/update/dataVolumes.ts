import { DockerEngine } from "../../components/engine/dockerEngine";
import { LABELS } from "../../components/naming/labels";
import { namedEngine } from "../machine/namedEngine";
import { DOCKER_TYPES, isDataVolume, nameOf, type StackState } from "../pulumi/stackState";
import { StepError } from "../machine/step";

/** Names of the data volumes in the stack's state. */
export function dataVolumesIn(state: StackState): string[] {
    return state.resources.filter(isDataVolume).map(nameOf).sort();
}

/**
 * Refuses to continue without data volumes that are in the state, but no longer on the engine, before a refresh removes
 * them from the state.
 *
 * @throws {StepError} with the volumes' names and the remedy.
 */
export async function refuseLostData(state: StackState, allowedChanges: string[]): Promise<void> {
    if (allowedChanges.includes("emptyDrives")) {
        return;
    }
    const { Volumes: volumes } = await (await namedEngine()).listVolumes();
    const lost = dataVolumesIn(state).filter((volume) => volumes.every(({ Name: name }) => name !== volume));
    if (lost.length > 0) {
        throw new StepError(
            `data volumes of this stack are gone from the engine:\n${list(lost)}\n` +
                'Restore them from a backup (docs/operations.md, "Backup and restore"). Where they may be empty from now on,\n' +
                'as where the store heals them from its other drives, add "emptyDrives" to allowedChanges.',
        );
    }
}

/**
 * Refuses a cluster name that doesn't match its data, for example if the stack was renamed and `clusterName` isn't set.
 * Previews compare with the state themselves; `npm run up` has no preview.
 *
 * @throws {StepError} with both names and the remedy.
 */
export function refuseNewName(state: StackState, clusterName: string, allowedChanges: string[]): void {
    const volumes = state.resources.filter(isDataVolume);
    const names = volumes.map(({ inputs }) => inputs?.labels?.find(({ label }) => label === LABELS.cluster)?.value);
    const [former] = names;
    if (former === undefined || names.includes(clusterName) || allowedChanges.includes("rename")) {
        return;
    }
    throw new StepError(
        `clusterName: "${clusterName}" is new, and this stack's data is under the name ${former}:\n${list(volumes.map(nameOf).sort())}\n` +
            `Set the name back:\n    npm run pulumi -- config set clusterName ${former}\n` +
            'To begin with new, empty volumes, add "rename" to allowedChanges.',
    );
}

/**
 * Refuses to deploy over data that isn't in the stack's state: it would get credentials that don't match. A volume that
 * an interrupted update of this stack was creating is accepted.
 *
 * @throws {StepError} with the volumes' names and the remedy.
 */
export async function refuseDataOfOthers(state: StackState, clusterName: string): Promise<void> {
    if (dataVolumesIn(state).length > 0) {
        return;
    }
    const engine = await DockerEngine.connect();
    const known = [...state.resources, ...state.pending.map(({ resource }) => resource)]
        .filter(({ type }) => type === DOCKER_TYPES.volume)
        .map(nameOf);
    const there = Object.keys(await engine.volumeLabels(LABELS.cluster, clusterName)).filter(
        (volume) => !known.includes(volume),
    );
    if (there.length === 0) {
        return;
    }
    throw new StepError(
        `the cluster ${clusterName} has data on this engine that the stack's state doesn't know:\n${list(there.sort())}\n` +
            "It was deployed from another checkout or with another backend, which holds its credentials. Go on from there, " +
            "or bring its state here (.local/state, .local/passphrase, .local/workspace), or give this stack a name of its own:\n" +
            "    npm run pulumi -- config set clusterName NAME\n" +
            "To deploy over the data all the same, set accessKey and secretKey to the ones that open it, then run\n" +
            "    npm run pulumi -- up",
    );
}

/** Names as lines. */
export function list(names: string[]): string {
    return names.map((name) => `    ${name}`).join("\n");
}
