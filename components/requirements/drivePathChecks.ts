import { normalize } from "node:path/posix";
import type { EngineInfo, FolderMount, ListedVolume } from "../docker/model";
import { LABELS } from "../naming/labels";
import { hostId, isOfContainers } from "../docker/hostIds";
import type { HostFolder, LocalHost } from "../docker/localHost";
import type { Problem } from "../checks/problem";
import { onEngine, type Requirement } from "./requirement";
import { findProfile, profileNames } from "../store/profiles/all";

/** A folder that will hold a drive. */
export interface DriveFolder {
    /** Property that sets it: `drivePaths[1][0]`. */
    propertyPath: string;
    path: string;
}

/** Folders that will be used for drives, and their owner. */
export interface WantedDrives {
    folders: DriveFolder[];
    /** Drives of other stores of the same deployment. Default: none. */
    ofOtherStores?: DriveFolder[];
    /** Whether several drives may stand on one device. */
    allowOneDevice: boolean;
    /** Name of the cluster. */
    clusterName: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    /** File that the store writes first, relative to each drive's folder. */
    formatFile: string;
}

interface LocatedFolder extends DriveFolder {
    /** Its path with symbolic links resolved, as far as they can be read. */
    real: string;
    /** The folder itself. Undefined on another host. */
    folder: HostFolder | undefined;
}

interface FoundFolder extends LocatedFolder {
    /** Whether the cluster already has a drive there. */
    inUse: boolean;
}

/** Folders of the operating system that can't be used, including everything below them. */
const SYSTEM_TREES = ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr"];

/** Folders that other programs need. Drives may be mounted below them. */
const SYSTEM_FOLDERS = ["/", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/run/media", "/srv", "/tmp", "/var"];

/** Folders below /var that belong to the system. */
const OF_VAR = ["backups", "cache", "lib", "local", "lock", "log", "mail", "opt", "run", "spool", "tmp"];

/** Entries that a new file system contains by default. */
const OF_FILE_SYSTEMS = ["lost+found"];

/** Folders of a host can hold a store's drives. */
export function foldersCanHoldDrives(host: string | undefined, wanted: WantedDrives): Requirement {
    return onEngine(host, async ({ engine, local, warn }) => {
        if (wanted.folders.length === 0) {
            return [];
        }
        if (local === undefined) {
            await warn(
                "drivePaths are on another host, so this program can't check that they exist, are empty and are on separate devices",
            );
        }
        const [info, volumes, mounts] = await Promise.all([engine.info(), engine.volumes(), engine.folderMounts()]);
        return checkDriveFolders(wanted, info, volumes, mounts, local);
    });
}

/**
 * Problems of drives on folders of the host. Such a folder is given to the store's user and closed to all others. Refused
 * are: folders that don't exist, or are on the same device; folders of the system, of the engine, of another drive or of a running
 * container; folders with files that no store wrote; and folders that the engine's containers can't give away. If the cluster
 * already has a drive in a folder, its location, files and owner aren't checked again.
 *
 * @param volumes All volumes of the engine.
 * @param mounts Folders that running containers can write to.
 * @param host The engine's host. Undefined if that differs from the program's host: then only the paths are compared.
 */
export async function checkDriveFolders(
    wanted: WantedDrives,
    engine: EngineInfo,
    volumes: ListedVolume[],
    mounts: readonly FolderMount[],
    host?: LocalHost,
): Promise<Problem[]> {
    const problems: Problem[] = [];
    const found: FoundFolder[] = [];
    for (const drive of wanted.folders) {
        const { propertyPath, path } = drive;
        const located = await locate(drive, host);
        if (located === undefined) {
            const reason = `"${path}" is not a folder on this host: mount the drive there first`;
            problems.push({ propertyPath, reason });
            continue;
        }
        const inUse = volumes.some(
            ({ labels, hostPath }) =>
                labels[LABELS.cluster] === wanted.clusterName && hostPath !== undefined && samePath(hostPath, path),
        );
        found.push({ ...located, inUse });
    }
    const others = await Promise.all((wanted.ofOtherStores ?? []).map((drive) => locate(drive, host)));
    const ofOtherStores = others.filter((drive) => drive !== undefined);
    const dataFolder = (await host?.realPath(engine.dataFolder)) ?? engine.dataFolder;
    const strangers = host === undefined ? [] : await foldersOfOthers(wanted, volumes, host);
    for (const [index, drive] of found.entries()) {
        const reason =
            (drive.inUse ? undefined : systemFolder(drive, dataFolder)) ??
            otherDrive(drive, [...ofOtherStores, ...found.slice(0, index)]) ??
            (drive.inUse ? undefined : otherVolume(drive, strangers)) ??
            (drive.inUse ? undefined : otherContainer(drive, mounts)) ??
            (drive.inUse || host === undefined ? undefined : await foreignFiles(drive, wanted, host)) ??
            (drive.inUse || host === undefined ? undefined : await foreignOwner(drive, engine, host)) ??
            (wanted.allowOneDevice ? undefined : sameDevice(drive, found.slice(0, index)));
        if (reason !== undefined) {
            problems.push({ propertyPath: drive.propertyPath, reason });
        }
    }
    return problems;
}

/** Undefined if there is no such folder on the program's host. */
async function locate(drive: DriveFolder, host: LocalHost | undefined): Promise<LocatedFolder | undefined> {
    const { path } = drive;
    if (host === undefined) {
        return { ...drive, real: normalize(path).replace(/(?<=.)\/+$/, ""), folder: undefined };
    }
    const [real, folder] = await Promise.all([host.realPath(path), host.folder(path)]);
    return real === undefined || folder === undefined ? undefined : { ...drive, real, folder };
}

function systemFolder({ path, real }: FoundFolder, dataFolder: string): string | undefined {
    const shown = describe(path, real);
    if (
        [...SYSTEM_FOLDERS, ...OF_VAR.map((name) => `/var/${name}`)].includes(real) ||
        SYSTEM_TREES.some((tree) => isWithin(real, tree))
    ) {
        return `${shown} is a folder of the system, and would be accessible to the store only: ${OWN_FOLDER}`;
    }
    if (isWithin(real, dataFolder) || isWithin(dataFolder, real)) {
        return `${shown} and the Docker daemon's own data folder "${dataFolder}" overlap, since one contains the other: ${OWN_FOLDER}`;
    }
    return undefined;
}

const OWN_FOLDER = "give each drive a folder of its own, such as /mnt/disk1, with the drive mounted there";

function otherDrive({ path, real, folder }: LocatedFolder, others: LocatedFolder[]): string | undefined {
    const isSame = (found: LocatedFolder) =>
        real === found.real ||
        (folder !== undefined && folder.device === found.folder?.device && folder.inode === found.folder.inode);
    const other = others.find((found) => isSame(found) || isWithin(real, found.real) || isWithin(found.real, real));
    if (other === undefined) {
        return undefined;
    }
    const [mine, theirs] = [describe(path, real), `${describe(other.path, other.real)} of ${other.propertyPath}`];
    return isSame(other)
        ? `${mine} is the same folder as ${theirs}: ${OWN_FOLDER}`
        : `${mine} and ${theirs} overlap, since one contains the other: ${OWN_FOLDER}`;
}

function otherVolume({ path, real }: FoundFolder, others: { volume: string; real: string }[]): string | undefined {
    const other = others.find((found) => isWithin(real, found.real) || isWithin(found.real, real));
    return other === undefined
        ? undefined
        : `${describe(path, real)} and "${other.real}", the folder of the volume ${other.volume}, overlap, since one contains the other: ${OWN_FOLDER}`;
}

/** A container that writes to the folder, such as another deployment's store. One that has a folder of the system may not. */
function otherContainer({ path, real }: FoundFolder, mounts: readonly FolderMount[]): string | undefined {
    const overlaps = (mount: string) =>
        [path, real].some(
            (folder) => isWithin(mount, folder) || (isWithin(folder, mount) && !SYSTEM_FOLDERS.includes(mount)),
        );
    const users = mounts.filter((mount) => overlaps(mount.path)).map(({ container }) => container);
    return users.length === 0 ? undefined : `${describe(path, real)} is in use by ${users.join(", ")}: stop that first`;
}

/** Folders of the host that other stacks' volumes are bound to. */
async function foldersOfOthers(
    { clusterName, stackName }: WantedDrives,
    volumes: ListedVolume[],
    host: LocalHost,
): Promise<{ volume: string; real: string }[]> {
    const others = volumes.filter(
        ({ labels }) => labels[LABELS.cluster] !== clusterName && labels[LABELS.stack] !== stackName,
    );
    const found = await Promise.all(
        others.map(async ({ name: volume, hostPath }) => {
            // The device of a volume need not be a folder: it can be an NFS address, `tmpfs` …
            const real = hostPath?.startsWith("/") === true ? await host.realPath(hostPath) : undefined;
            return real === undefined || (await host.folder(real)) === undefined ? [] : [{ volume, real }];
        }),
    );
    return found.flat();
}

/** Checks for files that no store has written. A folder with a store's data contains the store's format file. */
async function foreignFiles(
    { path, real }: FoundFolder,
    { formatFile }: WantedDrives,
    host: LocalHost,
): Promise<string | undefined> {
    const formats = [formatFile, ...profileNames.map((name) => findProfile(name)?.formatFile ?? "")];
    const ofStores = formats.map((file) => file.split("/")[0]);
    const names = (await host.entries(path)) ?? [];
    const foreign = names.filter((name) => !OF_FILE_SYSTEMS.includes(name));
    if (foreign.length === 0 || names.some((name) => ofStores.includes(name))) {
        return undefined;
    }
    const shown = foreign
        .slice(0, 3)
        .map((name) => `"${name}"`)
        .join(", ");
    return (
        `${describe(path, real)} holds ${foreign.length} file(s) that no store wrote (${shown}${foreign.length > 3 ? " …" : ""}), ` +
        "and would be accessible to the store only: give an empty folder, or one with a store's data"
    );
}

/**
 * Checks for a folder that no container can give to the store's user, since the engine runs without root, or maps users, and
 * has no such user or group in its containers.
 */
async function foreignOwner(
    { path, folder }: FoundFolder,
    engine: EngineInfo,
    host: LocalHost,
): Promise<string | undefined> {
    if (folder === undefined || (await isOfContainers(folder, engine, host)) !== false) {
        return undefined;
    }
    const [user, group] = await Promise.all([hostId("user", 0, engine, host), hostId("group", 0, engine, host)]);
    const kind = engine.rootless ? "runs without root" : "maps users (userns-remap)";
    return (
        `"${path}" belongs to user ${folder.owner} and group ${folder.group}, and the Docker daemon ${kind}: its containers can't give the ` +
        `folder to the store. Run sudo chown ${user}:${group} "${path}"`
    );
}

function sameDevice({ path, folder }: FoundFolder, others: FoundFolder[]): string | undefined {
    const other = others.find((found) => folder !== undefined && found.folder?.device === folder.device);
    return other === undefined
        ? undefined
        : `"${path}" is on the same device as "${other.path}", so a failure of that disk loses both: ` +
              "use a device of its own for each drive, or set allowDrivesOnOneDevice to true";
}

function isWithin(path: string, folder: string): boolean {
    return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function samePath(one: string, other: string): boolean {
    return one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}

function describe(path: string, real: string): string {
    return samePath(path, real) ? `"${path}"` : `"${path}" (${real})`;
}
