import type { DeployedCluster } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { StoreQuestions } from "./storeContent";
import type { DockerEngine } from "../engine/dockerEngine";
import { script, withParameters } from "../engine/script";
import { systemClock, type Clock } from "../engine/poll";
import type { Problem } from "../inputs/problem";
import type { ServiceProfile } from "../store/serviceProfile";
import { readLayout, type TakeOver } from "../store/profiles/takeOvers";
import type { NodePlace } from "../store/topology";

/** The part of an engine that the checks use. */
export type TakeOverEngine = Pick<DockerEngine, "checkHealth" | "readFile" | "run">;

/** A node of the former store that is ready. */
interface ReadyNode {
    place: NodePlace;
    container: string;
    engine: TakeOverEngine;
}

/** Number of objects, or of buckets, that a message names. */
const NAMED = 10;

/** Time limit for looking at all objects on a drive, in seconds: drives of many small objects take hours. */
const SCAN_SECONDS = 24 * 3600;

/**
 * Reasons why a store must not take over the drives of another one that runs. It is asked, and only reads. Not for a take-over
 * that is half done: the former store may have no quorum any more.
 *
 * @param engineOn The engine of a host.
 * @param begins Whether the take-over begins at once. The metadata of all objects is then read, on one drive of each erasure set, and
 * a former store that has to be ready is one. Otherwise nothing is known if it isn't.
 */
export async function takeOverProblems(
    takeOver: TakeOver,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    engineOn: (host: string | undefined) => Promise<TakeOverEngine>,
    begins: boolean,
    clock: Clock = systemClock,
): Promise<Problem[]> {
    const ready = await readyNodes(deployed, desired, engineOn);
    const [first] = ready;
    if (first === undefined) {
        const reason = `"${takeOver.to.name}" can't take over the drives: ${takeOver.from.name} is not ready on any node. Correct that first`;
        return begins && takeOver.needsFormer ? [{ propertyPath: "profile", reason }] : [];
    }
    const { drives, hasAll, problems } = await layoutsOf(ready, takeOver, desired);
    const allows = (word: string) => desired.allowedChanges.includes(word);
    const readsObjects = begins && !allows("unreadableObjects");
    const unready = desired.nodes.filter((place) => !ready.some((node) => node.place === place));
    const found = [
        problems,
        readsObjects && takeOver.needsFormer && problems.length === 0 && !hasAll
            ? [notLookedAt(unready, takeOver)]
            : [],
        allows("settingLoss") ? [] : await missingSettings(first, takeOver, clock),
        readsObjects ? await unreadableObjects(drives, takeOver) : [],
    ];
    return found.flat();
}

function notLookedAt(unready: NodePlace[], { from, to }: TakeOver): Problem {
    const reason =
        `"${to.name}" can't take over the drives now: ${listOf(unready.map(({ name }) => name))} would have to be ready so that all objects ` +
        `of ${from.name} can be looked at. Correct that first; or, if objects may be unreadable, add "unreadableObjects" to allowedChanges`;
    return { propertyPath: "profile", reason };
}

async function readyNodes(
    { nodes }: DeployedCluster,
    desired: DesiredCluster,
    engineOn: (host: string | undefined) => Promise<TakeOverEngine>,
): Promise<ReadyNode[]> {
    const found = await Promise.all(
        desired.nodes.map(async (place): Promise<ReadyNode[]> => {
            const container = nodes.find(({ name }) => name === place.name)?.container;
            if (container === undefined) {
                return [];
            }
            const engine = await engineOn(place.host);
            const isReady = (await engine.checkHealth(container.id)).code === 0;
            return isReady ? [{ place, container: container.id, engine }] : [];
        }),
    );
    return found.flat();
}

/** A drive whose objects are looked at. */
interface LookedAt {
    node: ReadyNode;
    folder: string;
}

/**
 * Checks the layout of each drive.
 *
 * @returns One drive of each erasure set, since all others have the same objects; and whether these are all sets of the cluster.
 */
async function layoutsOf(
    nodes: ReadyNode[],
    { layoutFile, from, to }: TakeOver,
    desired: DesiredCluster,
): Promise<{ drives: LookedAt[]; hasAll: boolean; problems: Problem[] }> {
    const drives = new Map<string, LookedAt>();
    const known = new Set<string>();
    const problems: Problem[] = [];
    for (const node of nodes) {
        for (const { mountPath, volumeName } of node.place.drives) {
            const layout = readLayout(await node.engine.readFile(node.container, `${mountPath}/${layoutFile}`));
            if (typeof layout === "string") {
                const reason =
                    `"${to.name}" can't take over the drives of ${from.name}: ${layoutFile} on ${volumeName} ${layout}. ` +
                    "Set it back, and copy the objects to a new cluster";
                problems.push({ propertyPath: "profile", reason });
                continue;
            }
            const set = layout.sets.findIndex((ids) => ids.includes(layout.drive));
            const key = `${layout.sets.flat().join()} ${set}`;
            if (!drives.has(key)) {
                drives.set(key, { node, folder: mountPath });
                layout.sets[set]?.forEach((id) => known.add(id));
            }
        }
    }
    const driveCount = desired.nodes.flatMap((place) => place.drives).length;
    return { drives: [...drives.values()], hasAll: known.size >= driveCount, problems };
}

async function missingSettings(
    node: ReadyNode,
    { from, to, missingSettings: missing }: TakeOver,
    clock: Clock,
): Promise<Problem[]> {
    if (missing.length === 0) {
        return [];
    }
    let settings: Map<string, string[]>;
    try {
        settings = await questionsOf(node, from, clock).settings();
    } catch (error) {
        const reason =
            `"${to.name}" can't take over the drives now: the settings of ${from.name}'s buckets can't be read from ` +
            `${node.place.name}: ${(error as Error).message}. Run this again once ${from.name} answers; or, if its settings may lose ` +
            'their effect, add "settingLoss" to allowedChanges';
        return [{ propertyPath: "profile", reason }];
    }
    return missing.flatMap((setting) => {
        const buckets = [...settings].filter(([, names]) => names.includes(setting)).map(([bucket]) => bucket);
        if (buckets.length === 0) {
            return [];
        }
        const reason =
            `"${to.name}" doesn't take over the ${setting} setting of ${listOf(buckets)}: remove it there, or, if it may lose its ` +
            'effect, add "settingLoss" to allowedChanges';
        return [{ propertyPath: "profile", reason }];
    });
}

async function unreadableObjects(drives: LookedAt[], takeOver: TakeOver): Promise<Problem[]> {
    const { from, to, unreadable } = takeOver;
    const text = withParameters(
        {
            _OLD_FILE: "xl.json",
            _FILE: "xl.meta",
            _MARKERS: unreadable.map(({ kind, marker }) => `${kind}:${marker}`).join(" "),
            _LIMIT: NAMED + 1,
        },
        script(__dirname, "scanDrives.sh"),
    );
    const found = await Promise.all(
        drives.map(async ({ node, folder }) => {
            const { code, output } = await node.engine.run(
                node.container,
                ["/bin/sh", "-c", text, "scan", folder],
                [],
                SCAN_SECONDS,
            );
            if (code !== 0) {
                throw new Error(`${node.place.name}: the objects on ${folder} can't be looked at: ${output.trim()}`);
            }
            return output
                .split("\n")
                .filter((line) => line !== "")
                .map((line) => ({
                    kind: line.slice(0, line.indexOf(" ")),
                    object: line.slice(line.indexOf(" ") + folder.length + 2),
                }));
        }),
    );
    const objects = found.flat();
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    return kinds.map((kind) => {
        const names = objects.filter((one) => one.kind === kind).map(({ object }) => object);
        const what = kind === "older" ? `in an older format of ${from.name}` : kind;
        const reason =
            `"${to.name}" can't read objects that are ${what}: ${listOf(names)}. Write them again as plain objects, or copy them ` +
            'elsewhere and delete all their versions here; or, if they may be unreadable, add "unreadableObjects" to allowedChanges';
        return { propertyPath: "profile", reason };
    });
}

function questionsOf({ engine, container }: ReadyNode, profile: ServiceProfile, clock: Clock): StoreQuestions {
    return new StoreQuestions((command, seconds) => engine.run(container, command, [], seconds), profile, clock);
}

function listOf(names: string[]): string {
    return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? " …" : "");
}
