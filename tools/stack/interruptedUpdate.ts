import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { STOP_SECONDS } from "../../components/docker/containerBasics";
import { onHost } from "../../components/docker/hosts";
import { LABELS } from "../../components/naming/labels";
import { isElsewhere, isOn } from "./stackHosts";
import { placeOf, type StackEngine } from "./stackEngines";
import { list } from "./dataVolumes";
import { changeState } from "../pulumi/changedState";
import {
    DOCKER_TYPES,
    isDataVolume,
    nameOf,
    readState,
    type ExportedState,
    type StackState,
    type StateResource,
} from "../pulumi/stackState";
import { say, StepError } from "../cli/step";
import type { Workspace } from "../pulumi/workspace";

/** A resource on an engine that updates had started to create or remove, with a result that the state doesn't know. */
interface Leftover {
    /**
     * The engine of its host. An overlay network is on the engines of several hosts, and counts for the one that was asked to
     * create it.
     */
    docker: Docker;
    id: string;
    /** Kind and name, with its host if it has one, for messages. */
    title: string;
    labels: { [label: string]: string };
    /** The resource that was to be created, for each attempt, or removed. */
    begun: StateResource[];
}

type Kind = keyof typeof DOCKER_TYPES;

/**
 * Cleans up the engines after an update was killed: stops and removes containers that it was creating or removing, then
 * removes networks that it was creating. Volumes are kept: creating a volume with an existing name reuses it.
 *
 * A resource is only removed if this stack's state has a pending operation for it, if it has the labels of that
 * operation, and if it isn't in the state otherwise. This cleanup may itself be killed: the pending operations stay
 * until {@link forgetInterruptedUpdate}.
 *
 * @returns Whether the state has to be refreshed, because it may contain removed resources.
 * @throws {StepError} if a resource with the same name doesn't belong to this stack, or if a network is in use.
 */
export async function recoverInterruptedUpdate(engines: readonly StackEngine[], state: StackState): Promise<boolean> {
    const containers = await ofAll(engines, (engine) => leftContainers(engine, state));
    const networks = await ofAll(engines, (engine) => leftNetworks(engine, state));
    refuseForeign(engines, [...containers, ...networks, ...(await leftVolumes(engines, state))]);
    await Promise.all(containers.map(removeContainer));
    await refuseUsed(engines, networks);
    await Promise.all(networks.map(({ docker, id }) => unless([404], () => docker.getNetwork(id).remove())));
    const removed = [...containers, ...networks];
    if (removed.length > 0) {
        const titles = removed.map(({ title }) => title);
        say(`removed what an interrupted update left half-way (volumes stay):\n${list(titles)}`);
    }
    const isSettled = state.pending.some(({ resource }) => !isElsewhere(engines, resource));
    return isSettled || (await missesContainer(engines, state));
}

/**
 * Refuses to deploy next to containers of the cluster that aren't in the stack's state: they use the names, and may
 * have the drives open.
 *
 * @throws {StepError} with their names and the remedy.
 */
export async function refuseUnknownContainers(
    engines: readonly StackEngine[],
    state: StackState,
    clusterName: string,
): Promise<void> {
    const unknown = await ofAll(engines, async (engine) => {
        const frontEnds = [clusterName, ...(engine.name === undefined ? [] : [`${clusterName}-${engine.name}`])];
        const names = (await containersOf(engine))
            .filter(({ labels }) => {
                const frontEnd = labels[LABELS.proxy];
                return (
                    labels[LABELS.cluster] === clusterName || (frontEnd !== undefined && frontEnds.includes(frontEnd))
                );
            })
            .filter(({ id }) => !state.resources.some((resource) => resource.id === id))
            .map(({ name }) => name);
        return names.length === 0 ? [] : [{ ...engine, names }];
    });
    if (unknown.length === 0) {
        return;
    }
    const titles = unknown.flatMap(({ name: host, names }) => names.map((name) => onHost(host, name)));
    const removals = unknown.map(
        ({ command, names }) => `    ${command} stop ${names.join(" ")} && ${command} rm ${names.join(" ")}`,
    );
    throw new StepError(
        `the cluster ${clusterName} has containers on ${placeOf(engines)} that the stack's state doesn't know:\n${list(titles)}\n` +
            "They may be another checkout's or another backend's: then go on from there. Where nobody needs them any more\n" +
            `(their volumes stay):\n${removals.join("\n")}`,
    );
}

/**
 * Removes the pending operations of interrupted updates, once they are settled. A data volume that one had created, and
 * that no later update has added to the state, is imported into the state. The operations on hosts that were not asked stay.
 */
export async function forgetInterruptedUpdate(
    workspace: Workspace,
    stack: string,
    engines: readonly StackEngine[],
): Promise<void> {
    const { pending } = await readState(workspace);
    if (pending.some(({ resource }) => !isElsewhere(engines, resource))) {
        await changeState(workspace, stack, (state) => withoutPending(state, engines));
    }
}

async function withoutPending(state: ExportedState, engines: readonly StackEngine[]): Promise<ExportedState> {
    const { resources = [], pending_operations: pending = [] } = state.deployment;
    const unsettled = pending.filter(({ resource }) => isElsewhere(engines, resource));
    const made = await leftVolumes(engines, { resources, pending });
    refuseForeign(engines, made);
    const adopted = made.flatMap(({ id, begun: operations }) =>
        operations
            .filter(isDataVolume)
            .slice(-1)
            .map((resource) => ({ ...resource, id, outputs: { name: id } })),
    );
    const deployment = { ...state.deployment, resources: [...resources, ...adopted], pending_operations: unsettled };
    return { ...state, deployment };
}

/** Something on an engine, under the name of a resource. */
interface Existing {
    id: string;
    name: string;
    labels: { [label: string]: string };
}

async function containersOf({ docker }: StackEngine): Promise<Existing[]> {
    const found = await docker.listContainers({ all: true });
    return found.map(({ Id: id, Names: [name = ""], Labels: labels }) => ({ id, name: name.slice(1), labels }));
}

/** Containers in creation that aren't in the state, and containers in removal. */
async function leftContainers(engine: StackEngine, state: StackState): Promise<Leftover[]> {
    const there = await containersOf(engine);
    const removed = begun(engine, state, "container", "deleting");
    const left = there.flatMap(({ id, name, labels }) => {
        const operations = removed.filter((resource) => resource.id === id);
        const title = titleOf(engine, "container", name);
        return operations.length > 0 ? [{ docker: engine.docker, id, title, labels, begun: operations }] : [];
    });
    return [...left, ...leftOf(engine, state, "container", there)];
}

async function leftNetworks(engine: StackEngine, state: StackState): Promise<Leftover[]> {
    const there = (await engine.docker.listNetworks()).map(({ Id: id, Name: name, Labels: labels }) => ({
        id,
        name,
        labels: labels ?? {},
    }));
    return leftOf(engine, state, "network", there);
}

function leftVolumes(engines: readonly StackEngine[], state: StackState): Promise<Leftover[]> {
    return ofAll(engines, async (engine) => {
        const { Volumes: volumes } = await engine.docker.listVolumes();
        const there = volumes.map(({ Name: name, Labels: labels }) => ({ id: name, name, labels: { ...labels } }));
        return leftOf(engine, state, "volume", there);
    });
}

/** What exists on an engine, was being created there, and isn't in the state. */
function leftOf(engine: StackEngine, state: StackState, kind: Kind, there: Existing[]): Leftover[] {
    const known = state.resources.filter((resource) => isOn(engine, resource));
    return there
        .filter(({ id }) => !known.some((resource) => resource.id === id))
        .map(({ id, name, labels }) => ({
            docker: engine.docker,
            id,
            title: titleOf(engine, kind, name),
            labels,
            begun: begun(engine, state, kind, "creating").filter((resource) => nameOf(resource) === name),
        }))
        .filter(({ begun: operations }) => operations.length > 0);
}

function titleOf({ name: host }: StackEngine, kind: Kind, name: string): string {
    return `${kind} ${name}${host === undefined ? "" : ` on host ${host}`}`;
}

async function ofAll<Answer>(
    engines: readonly StackEngine[],
    ask: (engine: StackEngine) => Promise<Answer[]>,
): Promise<Answer[]> {
    return (await Promise.all(engines.map(ask))).flat();
}

/** The resources of one type that pending operations create or delete on an engine. */
function begun(
    engine: StackEngine,
    { pending }: StackState,
    kind: Kind,
    type: "creating" | "deleting",
): StateResource[] {
    return pending
        .filter((operation) => operation.type === type && operation.resource.type === DOCKER_TYPES[kind])
        .map(({ resource }) => resource)
        .filter((resource) => isOn(engine, resource));
}

/** @throws {StepError} if one doesn't have the labels that the update would have set. */
function refuseForeign(engines: readonly StackEngine[], leftovers: Leftover[]): void {
    const foreign = leftovers.filter(({ labels, begun: operations }) =>
        operations.map(notedLabels).every((noted) => {
            const missing = noted.filter(({ label, value }) => labels[label] !== value);
            return noted.length === 0 || missing.length > 0;
        }),
    );
    if (foreign.length > 0) {
        throw new StepError(
            `an interrupted update was making these, but what has their names on ${placeOf(engines)} lacks its labels:\n` +
                `${list(foreign.map(({ title }) => title))}\n` +
                "Nothing was touched. Remove or rename them, if they are yours to remove, then run this command again.",
        );
    }
}

/**
 * Labels that a resource was to get. A volume keeps the labels of its first creation, so only its owner's name counts.
 */
function notedLabels({ type, inputs }: StateResource): { label: string; value: string }[] {
    const owners: string[] = [LABELS.cluster, LABELS.proxy];
    const labels = inputs?.labels ?? [];
    return type === DOCKER_TYPES.volume ? labels.filter(({ label }) => owners.includes(label)) : labels;
}

/** Stops a container as an update would, then removes it without its volumes. */
async function removeContainer({ docker, id }: Leftover): Promise<void> {
    const container = docker.getContainer(id);
    await unless([304, 404], () => container.stop({ t: STOP_SECONDS }));
    // 409: its removal is already in progress.
    await unless([404, 409], () => container.remove({ v: false, force: true }));
    while ((await docker.listContainers({ all: true })).some(({ Id: other }) => other === id)) {
        await sleep(100);
    }
}

async function unless(statusCodes: number[], work: () => Promise<unknown>): Promise<void> {
    try {
        await work();
    } catch (error) {
        if (!statusCodes.includes((error as { statusCode?: number }).statusCode ?? 0)) {
            throw error;
        }
    }
}

/** @throws {StepError} if containers use a network that would be removed, on any host. */
async function refuseUsed(engines: readonly StackEngine[], networks: Leftover[]): Promise<void> {
    for (const { id, title } of networks) {
        const users = await ofAll(engines, async ({ name: host, docker }) => {
            const found = await docker.listContainers({ all: true, filters: { network: [id] } });
            return found.map(({ Names: [name = ""] }) => onHost(host, name.slice(1)));
        });
        if (users.length > 0) {
            throw new StepError(
                `the ${title} was left by an interrupted update, but these containers use it:\n${list(users)}\n` +
                    "Disconnect them (docker network disconnect --force NETWORK CONTAINER), then run this command again.",
            );
        }
    }
}

/** Whether the state contains a container that should run and isn't on the engine of its host. */
async function missesContainer(engines: readonly StackEngine[], { resources }: StackState): Promise<boolean> {
    const missing = await ofAll(engines, async (engine) => {
        const there = (await containersOf(engine)).map(({ id }) => id);
        return resources.filter(
            (resource) =>
                isOn(engine, resource) &&
                resource.type === DOCKER_TYPES.container &&
                resource.inputs?.mustRun !== false &&
                resource.id !== undefined &&
                !there.includes(resource.id),
        );
    });
    return missing.length > 0;
}
