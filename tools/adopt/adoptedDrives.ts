import { StepError } from "../cli/step";
import type { FoundContainer, Mount } from "./foundContainer";
import { expandRanges } from "./ranges";

/** A node of a store, and what its drives are on. Without a container, the store isn't in one. */
export interface AdoptedNode {
    container?: FoundContainer;
    /** Volumes or folders, in the order of the drives. */
    drives: Drive[];
}

/** A volume of the engine, or a folder of the host. */
export type Drive = { volume: string; path?: undefined } | { path: string; volume?: undefined };

/** Drives in one pool at most, if they are listed without a range: one erasure set. */
const LARGEST_LIST = 16;

const URL_OF_DRIVES = /^https?:\/\/([^/:]+)(?::\d+)?(\/.*)$/;

/**
 * The nodes of each pool, with their drives.
 *
 * @param lists Paths or URLs with ranges, as the store got them.
 * @throws {StepError} if a layout can't be deployed once more, with every reason.
 */
export function drivesOf(containers: readonly FoundContainer[], lists: readonly string[]): AdoptedNode[][] {
    if (lists.length === 0) {
        throw new StepError("the store's drives aren't named, neither by its command nor by a variable");
    }
    const urls = lists.map((list) => URL_OF_DRIVES.exec(list) ?? undefined);
    if (urls.some((url) => url !== undefined) && urls.includes(undefined)) {
        throw new StepError(`the store has drives by path and by URL: ${lists.join(" ")}`);
    }
    const places = urls.every((url) => url !== undefined)
        ? clusterOf(lists, urls)
        : [[{ host: undefined, paths: pathsOf(lists) }]];
    const problems: string[] = [];
    const pools = places.map((nodes) =>
        nodes.map(({ host, paths }) => {
            const container =
                host === undefined ? containers[0] : containers.find((one) => one.hostnames.includes(host));
            if (container === undefined) {
                problems.push(`none of the containers is the node ${host ?? ""}: start them all, and name all of them`);
                return { container: undefined, drives: [] };
            }
            return { container, drives: paths.flatMap((path) => driveAt(path, container, problems)) };
        }),
    );
    const used = pools.flat().map(({ container }) => container);
    problems.push(
        ...containers
            .filter((one) => !used.includes(one))
            .map(({ name }) => `${name} is no node of the same store: name the store's own containers by --container`),
    );
    const kinds = new Set(pools.flat().flatMap(({ drives }) => drives.map(({ volume }) => volume === undefined)));
    if (kinds.size > 1) {
        problems.push("some drives are volumes and others folders: all must be of one kind");
    }
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return pools;
}

interface NodePaths {
    host: string | undefined;
    paths: string[];
}

/** Drives of one node. */
function pathsOf(lists: readonly string[]): string[] {
    if (lists.length > 1 && lists.some((list) => list.includes("{"))) {
        throw new StepError(`one node with several pools can't be deployed once more: ${lists.join(" ")}`);
    }
    if (lists.length > LARGEST_LIST) {
        throw new StepError(`${lists.length} drives without a range are a layout that can't be deployed once more`);
    }
    return lists.flatMap(expandRanges);
}

/** Nodes of each pool. A list without a range is one node of a pool of all lists. */
function clusterOf(lists: readonly string[], urls: readonly RegExpExecArray[]): NodePaths[][] {
    const pools = urls.map(([, hosts = "", paths = ""]) =>
        expandRanges(hosts).map((host) => ({ host, paths: expandRanges(paths) })),
    );
    if (lists.every((list) => list.includes("{"))) {
        return pools;
    }
    const nodes = pools.flat();
    const once = new Set(nodes.map(({ host }) => host)).size === nodes.length;
    if (lists.some((list) => list.includes("{")) || !once || nodes.length > LARGEST_LIST) {
        throw new StepError(
            `such a list of drives can't be deployed once more: ${lists.join(" ")}. Known are one URL with ranges for each pool`,
        );
    }
    return [nodes];
}

/** The volume or folder of one drive. */
function driveAt(path: string, { name, mounts }: FoundContainer, problems: string[]): Drive[] {
    const mount = mountOf(path, mounts);
    if (mount === undefined) {
        problems.push(
            `${name}: ${path} is in the container itself, and would be lost with it: copy it to a volume first`,
        );
        return [];
    }
    const below = path.slice(mount.at.length).replace(/^\/+|\/+$/g, "");
    if (mount.unusable !== undefined) {
        problems.push(`${name}: ${path} is ${mount.unusable}: copy the data to a volume or a folder first`);
        return [];
    }
    if (mount.volume === undefined) {
        return [{ path: [mount.path, below].filter((part) => part !== "").join("/") }];
    }
    if (below !== "") {
        problems.push(
            `${name}: ${path} is a folder of the volume ${mount.volume}, and a drive must be a whole volume: copy it to one, or bind a ` +
                "folder of the host",
        );
        return [];
    }
    return [{ volume: mount.volume }];
}

/** The innermost mount that contains a path. */
function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
    const around = mounts.filter(({ at }) => path === at || path.startsWith(`${at.replace(/\/$/, "")}/`));
    return around.sort((one, other) => other.at.length - one.at.length)[0];
}
