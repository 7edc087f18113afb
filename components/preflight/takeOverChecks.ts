import type { DeployedCluster } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { StoreQuestions } from "./storeContent";
import { DAMAGED, unreadableObjects, type LookedAtDrive, type UnreadableObject } from "./unreadableObjects";
import type { DockerEngine } from "../engine/dockerEngine";
import type { RunInNode } from "../client/nodeRequests";
import { systemClock, type Clock } from "../engine/poll";
import type { Problem } from "../inputs/problem";
import type { ServiceProfile } from "../store/serviceProfile";
import { readLayout, type TakeOver } from "../store/profiles/takeOvers";
import type { NodePlace } from "../store/topology";

/** The part of an engine that the checks use. */
export type TakeOverEngine = Pick<DockerEngine, "checkHealth" | "readFile" | "run">;

/** A node on which the former store is ready. */
export interface ReadyNode {
    place: NodePlace;
    /** Id of its container. */
    container: string;
    engine: TakeOverEngine;
}

/** Number of objects, or of buckets, that a message names. */
const NAMED = 10;

/**
 * Reasons why a store must not take over the drives of another one that runs. It is asked, and only reads. Not for a take-over
 * that is half done: the former store may have no quorum any more.
 *
 * @param ready The nodes on which the former store is ready.
 * @param begins Whether the take-over begins at once. The metadata of all objects is then read, on every drive of these nodes, and
 * a former store that has to be ready is one. Otherwise nothing is known if it isn't.
 */
export async function takeOverProblems(
    takeOver: TakeOver,
    ready: readonly ReadyNode[],
    desired: DesiredCluster,
    begins: boolean,
    clock: Clock = systemClock,
): Promise<Problem[]> {
    const [first] = ready;
    if (first === undefined) {
        const reason = `"${takeOver.to.name}" can't take over the drives: ${takeOver.from.name} is not ready on any node. Correct that first`;
        return begins && takeOver.needsFormer ? [{ propertyPath: "profile", reason }] : [];
    }
    const allows = (word: string) => desired.allowedChanges.includes(word);
    const readsObjects = begins && !allows("unreadableObjects");
    const { drives, seesAll, problems } = await layoutsOf(ready, takeOver, desired);
    if (readsObjects && takeOver.needsFormer && problems.length === 0 && !seesAll) {
        const unready = desired.nodes.filter((place) => !ready.some((node) => node.place.name === place.name));
        problems.push(notLookedAt(unready, takeOver));
    }
    if (problems.length > 0) {
        return problems;
    }
    const found = [
        allows("settingLoss") ? [] : await missingSettings(first, takeOver, clock),
        readsObjects ? objectProblems(await unreadableObjects(drives, takeOver, NAMED + 1), takeOver) : [],
    ];
    return found.flat();
}

/** The nodes that are ready now. */
export async function readyNodes(
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

function notLookedAt(unready: NodePlace[], { from, to }: TakeOver): Problem {
    const reason =
        `"${to.name}" can't take over the drives now: not all objects of ${from.name} can be looked at, since it isn't ready on ` +
        `${listOf(unready.map(({ name }) => name))}. Correct that first; or, if objects may be unreadable, add "unreadableObjects" to allowedChanges`;
    return { propertyPath: "profile", reason };
}

/**
 * Checks the layout of each drive.
 *
 * @returns The drives; and whether at least half of each erasure set are among them. A write needs more than half, so each object is
 * on one of these.
 */
async function layoutsOf(
    nodes: readonly ReadyNode[],
    { layoutFile, from, to }: TakeOver,
    desired: DesiredCluster,
): Promise<{ drives: LookedAtDrive[]; seesAll: boolean; problems: Problem[] }> {
    const drives: LookedAtDrive[] = [];
    const problems: Problem[] = [];
    const [ids, seen] = [new Map<string, readonly string[]>(), new Set<string>()];
    for (const { place, container, engine } of nodes) {
        const run: RunInNode = (command, seconds) => engine.run(container, command, [], seconds);
        for (const { mountPath, volumeName } of place.drives) {
            const layout = readLayout(await engine.readFile(container, `${mountPath}/${layoutFile}`));
            if (typeof layout === "string") {
                const reason =
                    `"${to.name}" can't take over the drives of ${from.name}: ${layoutFile} on ${volumeName} ${layout}. ` +
                    "Set it back, and copy the objects to a new cluster";
                problems.push({ propertyPath: "profile", reason });
                continue;
            }
            drives.push({ node: place.name, host: place.host, folder: mountPath, run });
            layout.sets.forEach((set) => ids.set(set.join(), set));
            seen.add(layout.drive);
        }
    }
    const sets = [...ids.values()];
    const driveCount = desired.nodes.flatMap((place) => place.drives).length;
    const seesAll =
        sets.flat().length >= driveCount &&
        sets.every((set) => 2 * set.filter((id) => seen.has(id)).length >= set.length);
    return { drives, seesAll, problems };
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

function objectProblems(objects: readonly UnreadableObject[], { from, to }: TakeOver): Problem[] {
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    return kinds.map((kind) => {
        const names = objects.filter((one) => one.kind === kind).map(({ object }) => object);
        const what =
            kind === "older" ? `in an older format of ${from.name}` : kind === DAMAGED ? "unreadable on a drive" : kind;
        const reason =
            `"${to.name}" can't read objects that are ${what}: ${listOf(names)}. Write them again as plain objects, or copy them ` +
            "elsewhere and delete all their versions here; one that clients can't find is left on a drive that was away when it was deleted. " +
            'Or, if they may be unreadable, add "unreadableObjects" to allowedChanges';
        return { propertyPath: "profile", reason };
    });
}

function questionsOf({ engine, container }: ReadyNode, profile: ServiceProfile, clock: Clock): StoreQuestions {
    return new StoreQuestions((command, seconds) => engine.run(container, command, [], seconds), profile, clock);
}

function listOf(names: string[]): string {
    return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? " …" : "");
}
