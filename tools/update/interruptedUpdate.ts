import Docker from "dockerode";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { STOP_SECONDS } from "../../components/engine/containerBasics";
import { LABELS } from "../../components/naming/labels";
import { list } from "./dataVolumes";
import {
    DOCKER_TYPES,
    exportState,
    isDataVolume,
    nameOf,
    type StackState,
    type StateResource,
} from "../pulumi/stackState";
import { say, StepError } from "../machine/step";
import { askPulumi, type Workspace } from "../pulumi/workspace";

/** A resource on the engine that updates had started to create or remove, with a result that the state doesn't know. */
interface Leftover {
    id: string;
    /** Kind and name, for messages. */
    title: string;
    labels: { [label: string]: string };
    /** The resource that was to be created, for each attempt, or removed. */
    begun: StateResource[];
}

type Kind = keyof typeof DOCKER_TYPES;

/**
 * Cleans up the engine after an update was killed: stops and removes containers that it was creating or removing, then
 * removes networks that it was creating. Volumes are kept: creating a volume with an existing name reuses it.
 *
 * A resource is only removed if this stack's state has a pending operation for it, if it has the labels of that
 * operation, and if it isn't in the state otherwise. This cleanup may itself be killed: the pending operations stay
 * until {@link forgetInterruptedUpdate}.
 *
 * @returns Whether the state has to be refreshed, because it may contain removed resources.
 * @throws {StepError} if a resource with the same name doesn't belong to this stack, or if a network is in use.
 */
export async function settleInterruptedUpdate(docker: Docker, state: StackState): Promise<boolean> {
    const containers = await leftContainers(docker, state);
    const networks = await leftNetworks(docker, state);
    refuseForeign([...containers, ...networks, ...(await leftVolumes(docker, state))]);
    await Promise.all(containers.map(({ id }) => removeContainer(docker, id)));
    await refuseUsed(docker, networks);
    await Promise.all(networks.map(({ id }) => unless([404], () => docker.getNetwork(id).remove())));
    const removed = [...containers, ...networks];
    if (removed.length > 0) {
        const titles = removed.map(({ title }) => title);
        say(`removed what an interrupted update left half-way (volumes stay):\n${list(titles)}`);
    }
    return state.pending.length > 0 || (await missesContainer(docker, state));
}

/**
 * Refuses to deploy next to containers of the cluster that aren't in the stack's state: they use the names, and may
 * have the drives open.
 *
 * @throws {StepError} with their names and the remedy.
 */
export async function refuseUnknownContainers(docker: Docker, state: StackState, clusterName: string): Promise<void> {
    const unknown = (await docker.listContainers({ all: true })).filter(
        ({ Id: id, Labels: labels }) =>
            [labels[LABELS.cluster], labels[LABELS.frontEnd]].includes(clusterName) &&
            !state.resources.some((resource) => resource.id === id),
    );
    if (unknown.length === 0) {
        return;
    }
    const names = unknown.map(({ Names: [name = ""] }) => name.slice(1));
    throw new StepError(
        `the cluster ${clusterName} has containers on this engine that the stack's state doesn't know:\n${list(names)}\n` +
            "They may be another checkout's or another backend's: then go on from there. Where nobody needs them any more\n" +
            `(their volumes stay):\n    docker stop ${names.join(" ")} && docker rm ${names.join(" ")}`,
    );
}

/**
 * Removes the pending operations of interrupted updates, once they are settled. A data volume that one had created, and
 * that no later update has added to the state, is imported into the state.
 */
export async function forgetInterruptedUpdate(workspace: Workspace, docker: Docker): Promise<void> {
    const state = await exportState(workspace);
    const { resources = [], pending_operations: pending = [] } = state.deployment;
    if (pending.length === 0) {
        return;
    }
    const made = await leftVolumes(docker, { resources, pending });
    refuseForeign(made);
    const adopted = made.flatMap(({ id, begun: operations }) =>
        operations
            .filter(isDataVolume)
            .slice(-1)
            .map((resource) => ({ ...resource, id, outputs: { name: id } })),
    );
    state.deployment.resources = [...resources, ...adopted];
    delete state.deployment.pending_operations;
    const file = join(workspace.folder, "state.json");
    writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
    try {
        await askPulumi(workspace, ["stack", "import", "--file", file]);
    } finally {
        rmSync(file);
    }
}

/** Containers in creation that aren't in the state, and containers in removal. */
async function leftContainers(docker: Docker, state: StackState): Promise<Leftover[]> {
    const there = (await docker.listContainers({ all: true })).map(
        ({ Id: id, Names: [name = ""], Labels: labels }) => ({
            id,
            name: name.slice(1),
            labels,
        }),
    );
    const removed = begun(state, "container", "deleting");
    const left = there.flatMap(({ id, name, labels }) => {
        const operations = removed.filter((resource) => resource.id === id);
        return operations.length > 0 ? [{ id, title: `container ${name}`, labels, begun: operations }] : [];
    });
    return [...left, ...leftOf(state, "container", there)];
}

async function leftNetworks(docker: Docker, state: StackState): Promise<Leftover[]> {
    const there = (await docker.listNetworks()).map(({ Id: id, Name: name, Labels: labels }) => ({
        id,
        name,
        labels: labels ?? {},
    }));
    return leftOf(state, "network", there);
}

async function leftVolumes(docker: Docker, state: StackState): Promise<Leftover[]> {
    const { Volumes: volumes } = await docker.listVolumes();
    const there = volumes.map(({ Name: name, Labels: labels }) => ({ id: name, name, labels: { ...labels } }));
    return leftOf(state, "volume", there);
}

/** The existing resources that were being created and aren't in the state. */
function leftOf(
    state: StackState,
    kind: Kind,
    there: { id: string; name: string; labels: { [label: string]: string } }[],
): Leftover[] {
    return there
        .filter(({ id }) => !state.resources.some((resource) => resource.id === id))
        .map(({ id, name, labels }) => ({
            id,
            title: `${kind} ${name}`,
            labels,
            begun: begun(state, kind, "creating").filter((resource) => nameOf(resource) === name),
        }))
        .filter(({ begun: operations }) => operations.length > 0);
}

/** The pending operations of one type of resource. */
function begun({ pending }: StackState, kind: Kind, type: "creating" | "deleting"): StateResource[] {
    return pending
        .filter((operation) => operation.type === type && operation.resource.type === DOCKER_TYPES[kind])
        .map(({ resource }) => resource);
}

/** @throws {StepError} if one doesn't have the labels that the update would have set. */
function refuseForeign(leftovers: Leftover[]): void {
    const foreign = leftovers.filter(({ labels, begun: operations }) =>
        operations.map(notedLabels).every((noted) => {
            const missing = noted.filter(({ label, value }) => labels[label] !== value);
            return noted.length === 0 || missing.length > 0;
        }),
    );
    if (foreign.length > 0) {
        throw new StepError(
            "an interrupted update was making these, but what has their names on this engine lacks its labels:\n" +
                `${list(foreign.map(({ title }) => title))}\n` +
                "Nothing was touched. Remove or rename them, if they are yours to remove, then run this command again.",
        );
    }
}

/**
 * Labels that a resource was to get. A volume keeps the labels of its first creation, so only its owner's name counts.
 */
function notedLabels({ type, inputs }: StateResource): { label: string; value: string }[] {
    const owners: string[] = [LABELS.cluster, LABELS.frontEnd];
    const labels = inputs?.labels ?? [];
    return type === DOCKER_TYPES.volume ? labels.filter(({ label }) => owners.includes(label)) : labels;
}

/** Stops a container as an update would, then removes it without its volumes. */
async function removeContainer(docker: Docker, id: string): Promise<void> {
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

/** @throws {StepError} if containers use a network that would be removed. */
async function refuseUsed(docker: Docker, networks: Leftover[]): Promise<void> {
    for (const { id, title } of networks) {
        const users = await docker.listContainers({ all: true, filters: { network: [id] } });
        if (users.length > 0) {
            throw new StepError(
                `the ${title} was left by an interrupted update, but these containers use it:\n` +
                    `${list(users.map(({ Names: [name = ""] }) => name.slice(1)))}\n` +
                    "Disconnect them (docker network disconnect --force NETWORK CONTAINER), then run this command again.",
            );
        }
    }
}

/** Whether the state contains a container that should run and isn't on the engine. */
async function missesContainer(docker: Docker, { resources }: StackState): Promise<boolean> {
    const there = (await docker.listContainers({ all: true })).map(({ Id: id }) => id);
    return resources.some(
        ({ type, id, inputs }) =>
            type === DOCKER_TYPES.container && inputs?.mustRun !== false && id !== undefined && !there.includes(id),
    );
}
