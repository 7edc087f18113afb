import { STOP_SECONDS } from "../components/docker/containerBasics";
import { LABELS } from "../components/naming/labels";
import { changeOwnerName, driveServerName, trialName } from "../components/naming/containerNames";
import { environmentText } from "../components/store/environmentFile";
import type { ServiceProfile } from "../components/store/serviceProfile";
import type { NodeSpec } from "../components/store/topology";
import type { FoundCluster, FoundNode } from "./foundCluster";
import type { OwnContainer } from "./ownContainer";
import { removeTrials } from "./recovery";
import type { FileChanges, TrialContainers } from "./trialContainers";
import { trialOptions, withoutPeers } from "./trialOptions";

/** What a migration does with containers. */
export interface TrialNodes {
    /**
     * Creates a node's container of the new store, without starting it.
     *
     * @param servesDrives Whether it gets a second one, for {@link serveDrives}.
     */
    create(place: NodeSpec, servesDrives: boolean): Promise<void>;
    /**
     * Starts the new store on a node, but its peers aren't to be reached from it. So it waits for them, and meanwhile serves its drives
     * to those that reach it. RustFS 1.0.1 waits for two minutes, ends, and is started again by the engine.
     */
    serveDrives(place: NodeSpec): Promise<void>;
    /** Starts the new store on a node, and returns its container's id. */
    start(place: NodeSpec): Promise<string>;
    /**
     * Stops the new store on a node, and gives it time for that. What only serves drives is removed at once: it has written nothing of
     * its own.
     */
    stop(place: NodeSpec): Promise<void>;
    /** Ends at once what a migration runs on a node's drives beside its own container: the new store, and what changes its files. */
    kill(place: NodeSpec): Promise<void>;
    /** Records that the new store has what the former one had. Once all nodes have that record, a migration goes on with it. */
    pass(place: NodeSpec): Promise<void>;
    /** Withdraws that record of a node, if it has one. */
    withdraw(place: NodeSpec): Promise<void>;
    /** Removes the containers of the new store, also those that an interrupted migration has left. */
    remove(): Promise<void>;
    /** Stops a node's own container. Does nothing if it doesn't run or there is none. */
    stopNode(place: NodeSpec): Promise<void>;
    /**
     * Starts a node's own container, which runs as the user that it was created for. Gives the files back to its user before.
     *
     * @param hidden Folders of each drive that its store must not find.
     */
    startNode(place: NodeSpec, hidden: readonly string[]): Promise<void>;
    /** Changes a node's files, and gives them to another user, while no container uses them. */
    changeOwner(place: NodeSpec, changes: FileChanges): Promise<void>;
}

/** {@link TrialNodes} on real engines. */
export class EngineTrialNodes implements TrialNodes {
    /** Ids of the trial containers, by their nodes' names. */
    private readonly ids = new Map<string, string>();
    /** Ids of the containers that only serve drives, by their nodes' names. */
    private readonly driveServers = new Map<string, string>();

    /** @param stores The store that runs, the one that is tried, and that one's image. */
    constructor(
        private readonly cluster: FoundCluster,
        private readonly stores: { from: ServiceProfile; to: ServiceProfile; image: string },
    ) {}

    async create(place: NodeSpec, servesDrives: boolean): Promise<void> {
        const node = this.nodeOf(place);
        const { image, to } = this.stores;
        const files = await this.trialsOn(place).writeFiles(this.cluster.name, place.name, {
            image: node.own.Image,
            user: to.user,
            files: this.filesOf(node),
        });
        const Labels = { [LABELS.trialNode]: place.name, [LABELS.profile]: to.name };
        const store = {
            ...this.stores,
            image,
            networkName: this.cluster.networkName,
            nodeCount: this.cluster.nodes.length,
        };
        const create = (own: OwnContainer, name: string, labels: { [label: string]: string }) =>
            this.trialsOn(place).create(this.cluster.name, name, {
                ...trialOptions(own, place, store, files),
                StopTimeout: STOP_SECONDS,
                Labels: labels,
            });
        this.ids.set(place.name, await create(node.own, trialName(place.name), Labels));
        if (servesDrives) {
            const peers = this.cluster.nodes.map((other) => other.place.name).filter((name) => name !== place.name);
            // Without the label of a trial's node: for a recovery it is none of the nodes on which the store was tried.
            this.driveServers.set(
                place.name,
                await create(withoutPeers(node.own, peers), driveServerName(place.name), {}),
            );
        }
    }

    /** The files that a node's store reads, with the new store's names for the root keys. */
    private filesOf({ files, secrets }: FoundNode): ReadonlyMap<string, string> {
        const { from, to } = this.stores;
        const former = [from.variables.accessKey, from.variables.secretKey, from.variables.internodeSecret];
        const others = Object.entries(secrets).filter(([name]) => !former.includes(name));
        const environment = {
            ...Object.fromEntries(others),
            [to.variables.accessKey]: secrets[from.variables.accessKey] ?? "",
            [to.variables.secretKey]: secrets[from.variables.secretKey] ?? "",
        };
        return new Map([...files, ["environment", environmentText(environment)]]);
    }

    async serveDrives(place: NodeSpec): Promise<void> {
        await this.trialsOn(place).start(this.driveServers.get(place.name) ?? "");
    }

    async start(place: NodeSpec): Promise<string> {
        const id = this.ids.get(place.name) ?? "";
        await this.trialsOn(place).start(id);
        return id;
    }

    async stop(place: NodeSpec): Promise<void> {
        await Promise.all([this.stopTrial(place, STOP_SECONDS), this.removeDriveServer(place)]);
    }

    async kill(place: NodeSpec): Promise<void> {
        const trials = this.trialsOn(place);
        await Promise.all([
            this.stopTrial(place, 0),
            this.removeDriveServer(place),
            trials.stop(changeOwnerName(place.name), 0),
        ]);
    }

    private async stopTrial(place: NodeSpec, seconds: number): Promise<void> {
        const id = this.ids.get(place.name);
        if (id !== undefined) {
            await this.trialsOn(place).stop(id, seconds);
        }
    }

    private async removeDriveServer(place: NodeSpec): Promise<void> {
        const id = this.driveServers.get(place.name);
        if (id !== undefined) {
            await this.trialsOn(place).remove(id);
            this.driveServers.delete(place.name);
        }
    }

    async remove(): Promise<void> {
        await removeTrials(
            this.cluster.nodes.map(({ place }) => this.trialsOn(place)),
            this.cluster.name,
        );
        this.ids.clear();
        this.driveServers.clear();
    }

    async stopNode(place: NodeSpec): Promise<void> {
        await this.trialsOn(place).stop(place.name, STOP_SECONDS);
    }

    async startNode(place: NodeSpec, hidden: readonly string[]): Promise<void> {
        await this.trialsOn(place).startOwn(this.cluster.name, place.name, hidden);
    }

    async changeOwner(place: NodeSpec, changes: FileChanges): Promise<void> {
        await this.trialsOn(place).change(this.cluster.name, {
            node: place.name,
            image: this.nodeOf(place).own.Image,
            drives: place.drives.map(({ volumeName }) => volumeName),
            ...changes,
        });
    }

    async pass(place: NodeSpec): Promise<void> {
        await this.trialsOn(place).pass(this.ids.get(place.name) ?? "", place.name);
    }

    async withdraw(place: NodeSpec): Promise<void> {
        await this.trialsOn(place).withdraw(place.name);
    }

    private nodeOf({ name }: NodeSpec): FoundNode {
        const node = this.cluster.nodes.find(({ place }) => place.name === name);
        if (node === undefined) {
            throw new Error(`${name} has no container`);
        }
        return node;
    }

    private trialsOn({ host }: NodeSpec): TrialContainers {
        return this.cluster.trialsOn(host);
    }
}
