import type { HelperOptions } from "./helperContainers";
import type { CommandResult } from "./engine";
import { textOfFrames } from "./dockerStreams";
import { systemClock } from "./poll";
import { script } from "./script";
import { SECRETS_PATH } from "../naming/containerFiles";
import { LABELS } from "../naming/labels";
import { handOverName, passedTrialName, trialName } from "../naming/containerNames";

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

/** What is done with a node's files between two stores. */
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

/** A node's files, and what is done with them. */
export interface GivenFiles extends FileChanges {
    /** Name of the container that does it. */
    name: string;
    /** Project and stack, joined by a slash, for its label. Default: it has none. */
    stackName?: string;
    /** Id of an image with `/bin/sh`, `chown`, `cp`, `mkdir`, `mv`, `rm` and `sync`. */
    image: string;
    /** Names of the volumes, or folders of the host, that are drives. */
    drives: string[];
    /** Name of the volume with the node's secrets. */
    secrets: string;
}

/** A node's own container, as the engine describes it. */
interface OwnContainer {
    Id: string;
    Image: string;
    State: { Running: boolean; ExitCode: number };
    Config: { User: string; Labels: { [label: string]: string } };
    Mounts: { Name?: string; Source: string; Destination: string }[];
}

/** The container of a trial. */
interface TrialContainer {
    readonly id: string;
    start(): Promise<unknown>;
    stop(options: { t: number }): Promise<unknown>;
    logs(options: { stdout: true; stderr: true; tail: number }): Promise<unknown>;
    remove(options: { force: boolean; v: boolean }): Promise<unknown>;
    rename(options: { name: string }): Promise<unknown>;
    inspect(): Promise<OwnContainer>;
}

/** The part of a Docker client that trials need. */
export interface TrialClient {
    listContainers(options: {
        all: boolean;
        filters: { label: string[] };
    }): Promise<{ Id: string; Names: string[]; Labels: { [label: string]: string } }[]>;
    createContainer(options: TrialOptions & { name: string }): Promise<TrialContainer>;
    getContainer(id: string): TrialContainer;
}

/**
 * Containers in which an update tries another store on the drives of a cluster, and hands the files over to it. They exist
 * from before the first node stops until the last one has been replaced. So if some exist when an update begins, an earlier
 * one was killed meanwhile, or could not remove them.
 */
export class TrialContainers {
    constructor(private readonly docker: TrialClient) {}

    /** The trial containers of a cluster on this engine, or of all clusters of a stack. */
    async list(of: { cluster: string } | { stack: string }): Promise<ListedTrial[]> {
        const label =
            "cluster" in of ? [`${LABELS.trial}=${of.cluster}`] : [LABELS.trial, `${LABELS.stack}=${of.stack}`];
        const found = await this.docker.listContainers({ all: true, filters: { label } });
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
        const mounted = ({ Name: name, Source: source }: OwnContainer["Mounts"][number]) => name ?? source;
        const secrets = own.Mounts.find(({ Destination: path }) => path === SECRETS_PATH);
        await this.give(owner, {
            name: handOverName(node),
            stackName: own.Config.Labels[LABELS.stack],
            image: own.Image,
            user: own.Config.User,
            drives: own.Mounts.filter(({ Destination: path }) => path.startsWith("/data/")).map(mounted),
            secrets: secrets === undefined ? "" : mounted(secrets),
            hidden,
        });
        await this.start(own.Id);
    }

    /**
     * Gives a node's files to a user and hides folders, while no container uses them.
     *
     * @throws {Error} with the last lines of the container that does it.
     */
    async give(owner: string, { name, stackName, image, drives, secrets, ...changes }: GivenFiles): Promise<void> {
        const { user = "", cleared = [], copied = [], hidden = [] } = changes;
        // One that a killed update has left may still be at work.
        await this.remove(name);
        const { code, output } = await this.run(owner, name, {
            ...GIVE,
            Image: image,
            Labels: stackName === undefined ? {} : { [LABELS.stack]: stackName },
            Env: [
                `OWNER=${user}`,
                `CLEARED=${cleared.join(" ")}`,
                `COPIED=${copied.map(({ from, to }) => `${from}:${to}`).join(" ")}`,
                `DRIVES=${DRIVES}`,
                `FILES=${FILES}`,
                `HIDDEN=${hidden.join(" ")}`,
                `SUFFIX=${ASIDE}`,
            ],
            HostConfig: {
                ...GIVE.HostConfig,
                Binds: [...drives.map((drive, place) => `${drive}:${DRIVES}/${place + 1}`), `${secrets}:${FILES}`],
            },
        });
        if (code !== 0) {
            throw new Error(`${name}: the files can't be handed over: ${output}`);
        }
    }

    /** Creates a container without starting it. Returns its id. */
    async create(owner: string, name: string, options: TrialOptions): Promise<string> {
        const labels = { ...options.Labels, [LABELS.trial]: owner };
        return (await this.docker.createContainer({ ...options, name, Labels: labels })).id;
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

    /** Runs a container until it ends, and removes it. */
    async run(owner: string, name: string, options: TrialOptions): Promise<CommandResult> {
        const id = await this.create(owner, name, options);
        const container = this.docker.getContainer(id);
        try {
            await container.start();
            const code = await endOf(container);
            const log = (await container.logs({ stdout: true, stderr: true, tail: 20 })) as Uint8Array;
            return { code, output: textOfFrames(Buffer.from(log)).trim() };
        } finally {
            await this.remove(id);
        }
    }
}

/**
 * The exit code of a container that has been started, however long it takes. It is asked for, and not waited for by the engine's own
 * command: if the engine is restarted, that answer breaks off, which is no event of the client.
 */
async function endOf(container: TrialContainer): Promise<number> {
    for (;;) {
        const { State: state } = await container.inspect();
        if (!state.Running) {
            return state.ExitCode;
        }
        await systemClock.sleep(ASK_INTERVAL);
    }
}

/** Pause between two questions whether a container has ended, in milliseconds. */
const ASK_INTERVAL = 500;

/** What is added to the name of a folder that a store must not find. */
export const ASIDE = ".set-aside";

/** Folders in the container that hands files over. */
const DRIVES = "/drives";
const FILES = "/files";

/** A container that only hands files over. */
const GIVE = {
    Entrypoint: ["/bin/sh", "-c"],
    Cmd: [script(__dirname, "handOver.sh")],
    User: "0:0",
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
        SecurityOpt: ["no-new-privileges:true"],
        // An image that declares /data as a volume would otherwise leave an anonymous volume behind.
        Tmpfs: { "/data": "size=1m,mode=0755" },
    },
};

/** @throws every error except that a container is in that state already, is gone, or is being removed. */
function unlessDone(error: unknown): void {
    if (![304, 404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) {
        throw error;
    }
}
