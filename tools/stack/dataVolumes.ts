import { onHost } from "../../components/docker/hosts";
import { LABELS } from "../../components/naming/labels";
import { isNamedBy, wordsFor, type NamedNode } from "../../components/requirements/driveWords";
import { hostOf, isOn } from "./stackHosts";
import { placeOf, type StackEngine, type StackTarget } from "./stackEngines";
import { DOCKER_TYPES, isDataVolume, nameOf, type StackState, type StateResource } from "../pulumi/stackState";
import { StepError } from "../cli/step";

/** Names of the data volumes in the stack's state. */
export function dataVolumesIn(state: StackState): string[] {
    return state.resources.filter(isDataVolume).map(nameOf).sort();
}

/**
 * Refuses to continue without data volumes that are in the state, but no longer on the engine of their host, before a
 * refresh removes them from the state. Those that may begin empty are left to the program, which asks the store about the others.
 *
 * @param allowedChangesOf The allowed changes of a cluster, by its name.
 * @throws {StepError} with the volumes' names and the remedy.
 */
export async function refuseLostData(
    engines: readonly StackEngine[],
    state: StackState,
    allowedChangesOf: (cluster: string) => readonly string[],
): Promise<void> {
    const volumes = state.resources.filter(isDataVolume);
    const lost: { name: string; node: NamedNode }[] = [];
    for (const engine of engines) {
        const { Volumes: there } = await engine.docker.listVolumes();
        const gone = volumes.filter(
            (volume) => isOn(engine, volume) && there.every(({ Name: name }) => name !== nameOf(volume)),
        );
        for (const volume of gone.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))) {
            const node = nodeOf(volume, volumes);
            if (!isNamedBy("emptyDrives", allowedChangesOf(labelOf(volume, LABELS.cluster) ?? ""), node)) {
                lost.push({ name: onHost(engine.name, nameOf(volume)), node });
            }
        }
    }
    if (lost.length > 0) {
        throw new StepError(
            `data volumes of this stack are gone from ${placeOf(engines)}:\n${list(lost.map(({ name }) => name))}\n` +
                "Restore them from a backup (docs/how-to/restore.md). Where they may be empty from now on,\n" +
                `as where the store heals them from its other drives, add ${wordsFor(
                    "emptyDrives",
                    lost.map(({ node }) => node),
                )} to allowedChanges.`,
        );
    }
}

/** The node of a data volume, as a word in `allowedChanges` names it. Nodes are numbered across the pools of their cluster. */
function nodeOf(volume: StateResource, volumes: readonly StateResource[]): NamedNode {
    const numberOf = (one: StateResource, label: string) => Number(labelOf(one, label) ?? 1);
    const [cluster, pool] = [labelOf(volume, LABELS.cluster), numberOf(volume, LABELS.pool)];
    const before = new Map(
        volumes
            .filter((one) => labelOf(one, LABELS.cluster) === cluster && numberOf(one, LABELS.pool) < pool)
            .map((one) => [numberOf(one, LABELS.pool), numberOf(one, LABELS.nodesInPool)]),
    );
    const first = [...before.values()].reduce((sum, count) => sum + count, 0);
    return { server: `node${first + numberOf(volume, LABELS.node)}`, host: hostOf(volume) };
}

/**
 * Refuses a cluster name that doesn't match its data, for example if the stack was renamed and `storeName` isn't set.
 * Previews compare with the state themselves; `npm run up` has no preview.
 *
 * @throws {StepError} with both names and the remedy.
 */
export function refuseNewName(state: StackState, clusterName: string, allowedChanges: string[]): void {
    const volumes = state.resources.filter(isDataVolume);
    const names = volumes.flatMap((volume) => labelOf(volume, LABELS.cluster) ?? []);
    // Those of additional stores begin with it.
    const [former] = [...names].sort((one, other) => one.length - other.length);
    if (former === undefined || names.includes(clusterName) || allowedChanges.includes("rename")) {
        return;
    }
    throw new StepError(
        `storeName: "${clusterName}" is new, and this stack's data is under the name ${former}:\n${list(volumes.map(nameOf).sort())}\n` +
            `Set the name back:\n    npm run pulumi -- config set storeName ${former}\n` +
            'To begin with new, empty volumes, add "rename" to allowedChanges.',
    );
}

/**
 * Refuses the removal of an additional store whose data Pulumi still protects. Pulumi refuses it too, but only after the
 * proxy has stopped serving the store; `npm run up` has no preview.
 *
 * @param names Names of the additional stores in the config.
 * @throws {StepError} with the volumes' names and the remedy.
 */
export function refuseProtectedStores(state: StackState, clusterName: string, names: readonly string[]): void {
    const kept = names.map((name) => `${clusterName}-${name}`);
    const removed = state.resources.filter(isDataVolume).filter((volume) => {
        const cluster = labelOf(volume, LABELS.cluster) ?? "";
        return volume.protect === true && cluster.startsWith(`${clusterName}-`) && !kept.includes(cluster);
    });
    if (removed.length > 0) {
        throw new StepError(
            `additionalStores: a store isn't in it any more whose data is protected:\n${list(removed.map(nameOf).sort())}\n` +
                "Put the store back. To delete it with all its objects, set retainData: false in it and run npm run up. Then\n" +
                'remove it, add "storeRemoval" to allowedChanges, and run npm run up again.',
        );
    }
}

/**
 * Refuses hosts that don't match the data: Pulumi would replace its volumes by those of other hosts. Previews compare with the
 * engines; `npm run up` has no preview, and doesn't ask an engine that the config doesn't name any more.
 *
 * @throws {StepError} with the volumes' names and hosts.
 */
export function refuseOtherHosts({ hosts }: StackTarget, state: StackState, allowedChanges: string[]): void {
    const named = hosts?.map(({ name }): string | undefined => name) ?? [undefined];
    const elsewhere = state.resources.filter(isDataVolume).filter((volume) => !named.includes(hostOf(volume)));
    if (elsewhere.length === 0 || allowedChanges.includes("rename")) {
        return;
    }
    const volumes = elsewhere.map((volume) => onHost(hostOf(volume) ?? "of the Docker provider", nameOf(volume)));
    throw new StepError(
        `hosts: the data of this stack is on others than the config names now:\n${list(volumes.sort())}\n` +
            "Data doesn't move with a node: set the key back to what it was.",
    );
}

/**
 * Refuses to deploy over data that isn't in the stack's state: it would get credentials that don't match. A volume that
 * an interrupted update of this stack was creating is accepted.
 *
 * @throws {StepError} with the volumes' names and the remedy.
 */
export async function refuseDataOfOthers(
    engines: readonly StackEngine[],
    state: StackState,
    clusterName: string,
): Promise<void> {
    if (dataVolumesIn(state).length > 0) {
        return;
    }
    const volumes = [...state.resources, ...state.pending.map(({ resource }) => resource)].filter(
        ({ type }) => type === DOCKER_TYPES.volume,
    );
    const there = await onEach(engines, async (engine) => {
        const known = volumes.filter((volume) => isOn(engine, volume)).map(nameOf);
        const { Volumes: found } = await engine.docker.listVolumes();
        return found
            .filter(({ Labels: labels }) => ({ ...labels })[LABELS.cluster] === clusterName)
            .map(({ Name: name }) => name)
            .filter((name) => !known.includes(name))
            .sort();
    });
    if (there.length === 0) {
        return;
    }
    throw new StepError(
        `the cluster ${clusterName} has data on ${placeOf(engines)} that the stack's state doesn't know:\n${list(there)}\n` +
            "It was deployed from another checkout or with another backend, which holds its credentials. Go on from there, " +
            "or bring its state here (.local/state, .local/passphrase, .local/workspace), or give this stack a name of its own:\n" +
            "    npm run pulumi -- config set storeName NAME\n" +
            "To deploy over the data all the same, set accessKey and secretKey to the ones that open it, then run\n" +
            "    npm run pulumi -- up",
    );
}

function labelOf({ inputs }: StateResource, name: string): string | undefined {
    return inputs?.labels?.find(({ label }) => label === name)?.value;
}

/** The names that a question to each engine returns, each with the name of its host if it has one. */
async function onEach(
    engines: readonly StackEngine[],
    ask: (engine: StackEngine) => Promise<string[]>,
): Promise<string[]> {
    const lists = await Promise.all(
        engines.map(async (engine) => (await ask(engine)).map((name) => onHost(engine.name, name))),
    );
    return lists.flat();
}

/** Names as lines. */
export function list(names: string[]): string {
    return names.map((name) => `    ${name}`).join("\n");
}
