import { pack } from "tar-stream";
import {
    CHANGES_FILES,
    removedAfter,
    runToEnd,
    type EndingContainer,
    type HelperOptions,
} from "../components/docker/oneShotContainers";
import { script } from "../components/docker/script";
import { changeOwnerName, passedTrialName, trialFilesName, trialName } from "../components/naming/containerNames";
import { CURRENT, MARK_FILE } from "../components/naming/containerFiles";
import { LABELS } from "../components/naming/labels";
import { drivesOf, type OwnContainer } from "./ownContainer";

/** Options of a trial container, in the format of Docker's API. */
export interface TrialOptions extends HelperOptions {
    Hostname?: string;
    Labels?: { [label: string]: string };
    StopTimeout?: number;
    NetworkingConfig?: object;
}

/** A trial container as the engine lists it. */
export interface ListedTrial {
    id: string;
    name: string;
    labels: { [label: string]: string };
}

/** What is done with the files of a node's drives between two stores. */
export interface FileChanges {
    /** Their new owner, `uid:gid`. Default: they stay with their owner. */
    user?: string;
    /** Folders of each drive that are removed first. Default: none. */
    cleared?: readonly string[];
    /** Files of each drive that are copied then, with the folder they are copied to; no link is followed. Default: none. */
    copied?: readonly { from: string; to: string }[];
    /**
     * Folders of each drive, in a folder `config`, that the next store must not find. Others that were hidden get their names back.
     * Default: none.
     */
    hidden?: readonly string[];
}

/** A node's drives, and what is done with their files. */
export interface GivenFiles extends FileChanges {
    /** Name of the node. */
    node: string;
    /** Id of an image with `/bin/sh`, `chown`, `cp`, `mkdir`, `mv`, `rm` and `sync`. */
    image: string;
    /** Names of the volumes, or folders of the host, that are drives. */
    drives: string[];
    /** Volume that gets or loses the mark of a migration, and its new text; an empty one removes it. Default: it stays. */
    mark?: { volume: string; text: string };
}

/** The container of a trial. */
interface TrialContainer extends EndingContainer {
    readonly id: string;
    stop(options: { t: number }): Promise<unknown>;
    rename(options: { name: string }): Promise<unknown>;
    inspect(): Promise<OwnContainer>;
    putArchive(archive: Buffer, options: { path: string }): Promise<unknown>;
}

/** The part of a Docker client that trials need. */
export interface TrialClient {
    listContainers(options: {
        all: boolean;
        filters: { label: string[] };
    }): Promise<{ Id: string; Names: string[]; Labels: { [label: string]: string } }[]>;
    createContainer(options: TrialOptions & { name: string }): Promise<TrialContainer>;
    getContainer(id: string): TrialContainer;
    createVolume(options: { Name: string; Labels: { [label: string]: string } }): Promise<unknown>;
    listVolumes(options: { filters: { label: string[] } }): Promise<{ Volumes: { Name: string }[] | null }>;
    getVolume(name: string): { remove(): Promise<unknown> };
}

/**
 * Containers in which a migration tries another store on the drives of a cluster, and gives the files to it. They exist from before
 * the first node stops until the last one has been replaced. So if some exist when a migration begins, an earlier one was killed
 * meanwhile, or could not remove them.
 */
export class TrialContainers {
    constructor(private readonly docker: TrialClient) {}

    /** The nodes' own containers of a cluster on this engine. */
    async nodes(cluster: string): Promise<OwnContainer[]> {
        const filters = { label: [`${LABELS.cluster}=${cluster}`] };
        const found = await this.docker.listContainers({ all: true, filters });
        const names = found.map(({ Names: [name = ""] }) => name.slice(1));
        const nodes = names.filter((name) => /^-pool\d+-node\d+$/.test(name.slice(cluster.length)));
        return (await Promise.all(nodes.map((node) => this.ownContainer(node)))).flatMap((own) => own ?? []);
    }

    /** The trial containers of a cluster on this engine. */
    async list(cluster: string): Promise<ListedTrial[]> {
        const filters = { label: [`${LABELS.trial}=${cluster}`] };
        const found = await this.docker.listContainers({ all: true, filters });
        return found.map(({ Id: id, Names: [name = ""], Labels: labels }) => ({ id, name: name.slice(1), labels }));
    }

    /** Records that the new store has what the former one had. */
    async pass(id: string, node: string): Promise<void> {
        await this.docker.getContainer(id).rename({ name: passedTrialName(node) });
    }

    /** Withdraws that record, if there is one. */
    async withdraw(node: string): Promise<void> {
        await this.docker
            .getContainer(passedTrialName(node))
            .rename({ name: trialName(node) })
            .catch(unlessDone);
    }

    /** A node's own container. Undefined if there is none. */
    async ownContainer(node: string): Promise<OwnContainer | undefined> {
        return this.docker
            .getContainer(node)
            .inspect()
            .catch((error: unknown) => {
                unlessDone(error);
                return undefined;
            });
    }

    /**
     * Starts a node's own container, unless it runs or there is none. Its files are given to its user before.
     *
     * @param hidden Folders that its store must not find; see {@link FileChanges}.
     */
    async startOwn(owner: string, node: string, hidden: readonly string[]): Promise<void> {
        const own = await this.ownContainer(node);
        if (own === undefined || own.State.Running) {
            return;
        }
        const drives = drivesOf(own).map(({ volumeName }) => volumeName);
        await this.change(owner, { node, image: own.Image, user: own.Config.User, drives, hidden });
        await this.start(own.Id);
    }

    /**
     * Makes the files that a trial's store reads at its start, in a volume of their own.
     *
     * @param user Their owner, `uid:gid`.
     * @param files Texts by name.
     * @returns Name of the volume.
     */
    async writeFiles(
        owner: string,
        node: string,
        { image, user, files }: { image: string; user: string; files: ReadonlyMap<string, string> },
    ): Promise<string> {
        const volume = trialFilesName(node);
        const helper = changeOwnerName(node);
        await this.remove(helper);
        await this.docker.createVolume({ Name: volume, Labels: { [LABELS.trial]: owner } });
        const options = {
            Image: image,
            Cmd: ["never-started"],
            HostConfig: { NetworkMode: "none", Binds: [`${volume}:${FILES}`] },
        };
        await removedAfter(await this.make(owner, helper, options), async (container) => {
            await container.putArchive(await archiveOf(files, user), { path: FILES });
        });
        return volume;
    }

    /** Removes the files of a cluster's trials. */
    async removeFiles(owner: string): Promise<void> {
        const { Volumes: volumes } = await this.docker.listVolumes({
            filters: { label: [`${LABELS.trial}=${owner}`] },
        });
        await Promise.all(
            (volumes ?? []).map(({ Name: name }) => this.docker.getVolume(name).remove().catch(unlessDone)),
        );
    }

    /**
     * Gives the files of a node's drives to a user and hides folders, while no container uses them; or writes a mark.
     *
     * @throws {Error} with the last lines of the container that does it.
     */
    async change(owner: string, { node, image, drives, mark, ...changes }: GivenFiles): Promise<void> {
        const { user = "", cleared = [], copied = [], hidden = [] } = changes;
        const name = changeOwnerName(node);
        // One that a killed migration has left may still be at work.
        await this.remove(name);
        const created = await this.make(owner, name, {
            ...CHANGES_FILES,
            Image: image,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: [script(__dirname, "changeOwner.sh")],
            Env: [
                `OWNER=${user}`,
                `CLEARED=${cleared.join(" ")}`,
                `COPIED=${copied.map(({ from, to }) => `${from}:${to}`).join(" ")}`,
                `DRIVES=${DRIVES}`,
                `HIDDEN=${hidden.join(" ")}`,
                `SUFFIX=${ASIDE}`,
                ...(mark === undefined ? [] : [`MARK_FILE=${FILES}/${MARK_FILE}`, `MARK=${mark.text}`]),
            ],
            HostConfig: {
                ...CHANGES_FILES.HostConfig,
                Binds: [
                    ...drives.map((drive, index) => `${drive}:${DRIVES}/${index + 1}`),
                    ...(mark === undefined ? [] : [`${mark.volume}:${FILES}`]),
                ],
            },
        });
        const { code, output } = await runToEnd(created);
        if (code !== 0) {
            throw new Error(`${name}: the files can't be changed: ${output}`);
        }
    }

    /** Creates a container without starting it. Returns its id. */
    async create(owner: string, name: string, options: TrialOptions): Promise<string> {
        return (await this.make(owner, name, options)).id;
    }

    async start(id: string): Promise<void> {
        await this.docker.getContainer(id).start();
    }

    /** Stops a container, if it runs. */
    async stop(id: string, seconds: number): Promise<void> {
        await this.docker.getContainer(id).stop({ t: seconds }).catch(unlessDone);
    }

    /** Removes a container, running or not. */
    async remove(id: string): Promise<void> {
        await this.docker.getContainer(id).remove({ force: true, v: true }).catch(unlessDone);
    }

    private make(owner: string, name: string, options: TrialOptions): Promise<TrialContainer> {
        const labels = { ...options.Labels, [LABELS.trial]: owner };
        return this.docker.createContainer({ ...options, name, Labels: labels });
    }
}

/** What is added to the name of a folder that a store must not find. */
export const ASIDE = ".set-aside";

/** A folder with files that only their owner can read. */
async function archiveOf(files: ReadonlyMap<string, string>, user: string): Promise<Buffer> {
    const [uid = 0, gid = 0] = user.split(":").map(Number);
    const archive = pack();
    archive.entry({ name: CURRENT, type: "directory", mode: 0o700, uid, gid });
    for (const [name, text] of files) {
        archive.entry({ name: `${CURRENT}/${name}`, mode: 0o600, uid, gid }, text);
    }
    archive.finalize();
    const parts: Uint8Array[] = [];
    for await (const part of archive) {
        parts.push(part as Uint8Array);
    }
    return Buffer.concat(parts);
}

/** Folders in the container that changes files. */
const DRIVES = "/drives";
const FILES = "/files";

/** @throws every error except that a container is in that state already, is gone, or is being removed. */
function unlessDone(error: unknown): void {
    if (![304, 404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) {
        throw error;
    }
}
