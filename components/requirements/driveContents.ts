import * as pulumi from "@pulumi/pulumi";
import { join } from "node:path/posix";
import type { DeployedCluster } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import type { EngineCache } from "./engineCache";
import type { DockerEngine } from "../docker/engine";
import { hostId } from "../docker/hostIds";
import { localHost, type LocalHost } from "../docker/localHost";
import { volumeReader } from "../docker/volumeReader";
import type { Problem } from "../checks/problem";
import { documentReference } from "../naming/documentation";
import { LABELS } from "../naming/labels";
import { formatFilesFor, ownersFor } from "../store/profiles/all";
import type { DriveSpec, NodeSpec } from "../store/topology";

/** A drive of the desired cluster, and what an update finds where it will be. */
export interface DriveContent {
    place: NodeSpec;
    drive: DriveSpec;
    /** Number of the pool, from 0. */
    pool: number;
    /** Why it would be without data. Undefined if it wouldn't. */
    emptied?: Problem;
}

/** A drive with data on it, or without. */
interface Found extends Omit<DriveContent, "emptied"> {
    /**
     * `whole`: with a store's format file. `bare`: a folder without one. `foreign`: such a folder, with an owner that is no store.
     * `there`: a volume that isn't looked into. `missing`: no such volume. `unseen`: it can't be looked at without changing
     * something.
     */
    content: "whole" | "bare" | "foreign" | "there" | "missing" | "unseen";
    folder?: string;
}

/** The drives of all pools that have data, and whether some can only be looked at when the update begins. */
export interface DriveContents {
    drives: DriveContent[];
    isComplete: boolean;
}

/**
 * Looks for the data of each drive. A volume that was removed has none, and neither has a folder whose disk isn't mounted: the
 * store would take it for a new drive, and would write to the root disk. A pool that was never formed has nothing to lose, and a
 * pool that changes its layout is refused as such.
 */
export async function driveContents(
    snapshot: EngineCache,
    deployed: DeployedCluster,
    desired: DesiredCluster,
): Promise<DriveContents> {
    const wanted = desired.nodes
        .filter(({ host }) => host === undefined || !snapshot.away.includes(host))
        .flatMap((place) => place.drives.map((drive) => ({ place, drive, pool: numberOf(drive, LABELS.pool) })))
        .filter(({ pool }) => keepsLayout(pool, deployed, desired));
    const ofHosts = [...snapshot.hosts].map(async ([name, host]) => {
        const here = wanted.filter(({ place }) => place.host === name);
        return here.length === 0 ? [] : lookAt(here, await host.engine(), deployed, desired);
    });
    const found = (await Promise.all(ofHosts)).flat();
    const pools = [...new Set(found.map(({ pool }) => pool))].map(async (pool): Promise<DriveContents> => {
        const drives = found.filter((one) => one.pool === pool);
        const suspects = drives.filter(({ content }) => !["whole", "there"].includes(content));
        const formed = suspects.length > 0 && (await isFormed(drives, snapshot, deployed, desired));
        return {
            drives: drives.map((one) => ({ ...one, ...emptiedBy(one, formed, deployed, desired) })),
            isComplete: drives.every(({ content }) => content !== "unseen") && formed !== "unknown",
        };
    });
    const all = await Promise.all(pools);
    return { drives: all.flatMap(({ drives }) => drives), isComplete: all.every(({ isComplete }) => isComplete) };
}

function numberOf({ labels }: DriveSpec, label: string): number {
    return Number(labels[label]) - 1;
}

/** Whether a pool has the layout of its volumes, if there are any. */
function keepsLayout(pool: number, { drives }: DeployedCluster, { pools }: DesiredCluster): boolean {
    const wanted = pools[pool];
    return drives
        .filter(({ labels }) => Number(labels[LABELS.pool]) - 1 === pool)
        .every(
            ({ labels }) =>
                Number(labels[LABELS.nodesInPool]) === wanted?.nodeCount &&
                Number(labels[LABELS.drivesPerNode]) === (wanted.drivesPerNode ?? 1),
        );
}

/** Looks at the drives of one host. */
async function lookAt(
    here: Omit<DriveContent, "emptied">[],
    engine: DockerEngine,
    deployed: DeployedCluster,
    desired: DesiredCluster,
): Promise<Found[]> {
    const there = new Set([...deployed.drives.map(({ volume }) => volume), ...deployed.otherVolumes]);
    const withFolders = here.map((one) => ({
        ...one,
        folder: one.drive.hostPath ?? deployed.drives.find(({ volume }) => volume === one.drive.volumeName)?.hostPath,
    }));
    const folders = withFolders.flatMap(({ folder }) => folder ?? []);
    const seen = await foldersOn(engine, folders, desired);
    return withFolders.map(({ folder, ...one }): Found => {
        if (folder !== undefined) {
            return { ...one, folder, content: seen.get(folder) ?? "unseen" };
        }
        return { ...one, content: there.has(one.drive.volumeName) ? "there" : "missing" };
    });
}

/** What is in folders of a host. On another host, an update creates a container to look; a preview creates none. */
async function foldersOn(
    engine: DockerEngine,
    folders: readonly string[],
    desired: DesiredCluster,
): Promise<Map<string, Found["content"]>> {
    const formats = formatFilesFor(desired.profile);
    if (folders.length === 0) {
        return new Map();
    }
    if (engine.local) {
        const owners = await storeOwners(engine, desired);
        const found = folders.map(
            async (folder) => [folder, await localFolder(folder, formats, owners, localHost)] as const,
        );
        return new Map(await Promise.all(found));
    }
    if (pulumi.runtime.isDryRun()) {
        return new Map();
    }
    const mounts = folders.map((folder, index): [string, string] => [`/drives/${index + 1}`, folder]);
    const look = async (container: string) =>
        Promise.all(
            mounts.map(async ([path, folder]): Promise<[string, Found["content"]]> => {
                const looks = await Promise.all(formats.map((file) => engine.hasFile(container, `${path}/${file}`)));
                return [folder, looks.includes(true) ? "whole" : "bare"];
            }),
        );
    const found = await engine.oneShots
        .lookInto(desired.clusterName, Object.fromEntries(mounts), look)
        .catch((error: unknown) => {
            throw new Error(
                `drivePaths: ${folders.join(", ")} can't be looked at: ${(error as Error).message.trim()}. Mount the drives there first`,
            );
        });
    return new Map(found ?? []);
}

/** The store's user, and those of stores whose drives it can take over, as the host numbers them. Undefined if unknown. */
function storeOwners(engine: DockerEngine, { profile }: DesiredCluster): Promise<(number | undefined)[]> {
    return Promise.all(
        ownersFor(profile).map(async (user) =>
            hostId("user", Number(user.split(":")[0]), await engine.info(), localHost),
        ),
    );
}

async function localFolder(
    path: string,
    formats: readonly string[],
    owners: readonly (number | undefined)[],
    host: LocalHost,
): Promise<Found["content"]> {
    const folder = await host.folder(path);
    if (folder === undefined) {
        // The check of the folders themselves reports it.
        return "unseen";
    }
    const files = formats.map((file) => join(path, file));
    if (!owners.includes(undefined) && !owners.includes(folder.owner)) {
        const texts = await Promise.all(files.map((file) => host.text(file)));
        return texts.some((text) => text !== undefined) ? "whole" : "foreign";
    }
    // A folder that only the store may read counts as one with its data.
    const lacks = await Promise.all(files.map((file) => host.lacks(file)));
    return lacks.includes(false) ? "whole" : "bare";
}

/** Whether a pool was ever formed: then a drive of it has the format file. */
async function isFormed(
    drives: readonly Found[],
    { hosts }: EngineCache,
    { nodes, formed }: DeployedCluster,
    { profile, clusterName, pools }: DesiredCluster,
): Promise<boolean | "unknown"> {
    // A container that was started with the disk still shows it. In a cluster that grows, it may be one of another pool.
    const isShown = formed && pools.length === 1 && nodes.some(({ container }) => container !== undefined);
    if (isShown || drives.some(({ content }) => content === "whole")) {
        return true;
    }
    const looks: (boolean | "unknown")[] = [];
    for (const { place, drive } of drives.filter(({ content }) => content === "there")) {
        const engine = await hosts.get(place.host)?.engine();
        if (engine !== undefined && !looks.includes(true)) {
            const host = engine.local ? localHost : undefined;
            const reader = volumeReader(engine, host, clusterName, !pulumi.runtime.isDryRun());
            const texts = await reader.read(drive.volumeName, formatFilesFor(profile));
            looks.push(texts === undefined ? "unknown" : texts.some((text) => text !== undefined));
        }
    }
    return looks.includes(true) || (looks.includes("unknown") ? "unknown" : false);
}

function emptiedBy(
    { place, drive, content, folder }: Found,
    formed: boolean | "unknown",
    { nodes }: DeployedCluster,
    desired: DesiredCluster,
): Pick<DriveContent, "emptied"> {
    const isPrepared = nodes.some(({ name, secrets }) => name === place.name && secrets !== undefined);
    if (content === "missing" && (isPrepared || formed === true)) {
        const reason =
            `"${desired.clusterName}" had data in ${drive.volumeName}, and no such volume exists any longer. ` +
            `Restore it from a backup (${documentReference("how-to/restore", "Steps")})`;
        return { emptied: { propertyPath: "clusterName", reason } };
    }
    const lacksData =
        formed === true ? content !== "whole" && content !== "there" : content === "foreign" && isPrepared;
    if (!lacksData || (content === "unseen" && pulumi.runtime.isDryRun())) {
        return {};
    }
    const pool = desired.namesPools ? `pools[${numberOf(drive, LABELS.pool)}].` : "";
    const index = `[${numberOf(drive, LABELS.node)}][${numberOf(drive, LABELS.drive)}]`;
    const reason =
        content === "unseen"
            ? `"${folder}" can't be looked at, since the Docker daemon of host ${place.host} has no image yet: load or pull one there`
            : `"${folder}" has none of the data of ${drive.volumeName}: is the disk mounted there? Mount it`;
    return { emptied: { propertyPath: `${pool}drivePaths${index}`, reason } };
}
