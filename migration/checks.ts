import type { RunInNode } from "../components/storeClient/nodeRequests";
import type { DockerEngine } from "../components/docker/engine";
import { systemClock, type Clock } from "../components/docker/poll";
import type { ServiceProfile } from "../components/store/serviceProfile";
import { isNamed } from "../components/store/variableNames";
import type { NodeSpec } from "../components/store/topology";
import type { FoundNode } from "./foundCluster";
import { StoreQuestions } from "./storeContent";
import { readLayout, type Migration } from "./supported";
import { DAMAGED, unreadableObjects, type LookedAtDrive, type UnreadableObject } from "./unreadableObjects";

/** The part of an engine that the checks use. */
export type CheckedEngine = Pick<DockerEngine, "checkHealth" | "readFile" | "run">;

/** A node on which the former store is ready. */
export interface ReadyNode {
    place: NodeSpec;
    /** Id of its container. */
    container: string;
    engine: CheckedEngine;
}

/** Number of objects, or of buckets, that a message names. */
const NAMED = 10;

/** What may be lost. */
export interface AllowedLoss {
    /** Bucket settings that the new store doesn't have; users and policies that it hasn't read. */
    loseSettings: boolean;
    /** Objects that the new store can't read. */
    loseUnreadable: boolean;
}

/**
 * Reasons why a store must not get the drives of another one that runs. It is asked, and only reads: the metadata of all objects too, on
 * every drive of the nodes that are ready.
 *
 * @param nodes All nodes.
 * @param ready The nodes on which the former store is ready.
 */
export async function migrationProblems(
    migration: Migration,
    nodes: readonly Pick<FoundNode, "place" | "own" | "secrets">[],
    ready: readonly ReadyNode[],
    { loseSettings, loseUnreadable }: AllowedLoss,
    clock: Clock = systemClock,
): Promise<string[]> {
    const excluded = excludedVariables(migration, nodes);
    const [first] = ready;
    if (first === undefined) {
        const { from } = migration;
        return migration.needsFormer
            ? [...excluded, `${from.name} is not ready on any node. Start it first (docker start)`]
            : excluded;
    }
    const { drives, seesAll, problems } = await layoutsOf(ready, migration, nodes);
    if (migration.needsFormer && problems.length === 0 && !seesAll && !loseUnreadable) {
        const unready = nodes.filter(({ place }) => !ready.some((node) => node.place.name === place.name));
        problems.push(notLookedAt(unready, migration));
    }
    if (problems.length + excluded.length > 0) {
        return [...excluded, ...problems];
    }
    return [
        ...(loseSettings ? [] : await missingSettings(first, migration, clock)),
        ...(loseUnreadable ? [] : objectProblems(await unreadableObjects(drives, migration, NAMED + 1), migration)),
    ];
}

function excludedVariables(
    { from, to, excludedVariables: names }: Migration,
    nodes: readonly Pick<FoundNode, "own" | "secrets">[],
): string[] {
    const variables = nodes.flatMap(({ own, secrets }) => [
        ...own.Config.Env.map((entry) => entry.slice(0, entry.indexOf("="))),
        ...Object.keys(secrets),
    ]);
    const excluded = [...new Set(variables)].filter((name) => isNamed(name, names));
    return excluded.length === 0
        ? []
        : [
              `${excluded.join(", ")}: ${from.name} encrypts its users, policies and objects with it, and ${to.name} can't decrypt them. ` +
                  "Copy the objects to a new cluster",
          ];
}

function notLookedAt(unready: readonly Pick<FoundNode, "place">[], { from }: Migration): string {
    return (
        `not all objects of ${from.name} can be looked at, since it isn't ready on ` +
        `${listOf(unready.map(({ place }) => place.name))}. Start it there (docker start); or, if objects may be unreadable, add \`--lose-unreadable\``
    );
}

/**
 * Checks the layout of each drive.
 *
 * @returns The drives; and whether at least half of each erasure set are among them. A write needs more than half, so each object is
 * on one of these.
 */
async function layoutsOf(
    nodes: readonly ReadyNode[],
    { layoutFile }: Migration,
    all: readonly Pick<FoundNode, "place">[],
): Promise<{ drives: LookedAtDrive[]; seesAll: boolean; problems: string[] }> {
    const drives: LookedAtDrive[] = [];
    const problems: string[] = [];
    const [ids, seen] = [new Map<string, readonly string[]>(), new Set<string>()];
    for (const { place, container, engine } of nodes) {
        const run: RunInNode = (command, seconds) => engine.run(container, command, [], seconds);
        for (const { mountPath, volumeName } of place.drives) {
            const layout = readLayout(await engine.readFile(container, `${mountPath}/${layoutFile}`));
            if (typeof layout === "string") {
                problems.push(`${layoutFile} on ${volumeName} ${layout}. Copy the objects to a new cluster`);
                continue;
            }
            drives.push({ node: place.name, host: place.host, folder: mountPath, run });
            layout.sets.forEach((set) => ids.set(set.join(), set));
            seen.add(layout.drive);
        }
    }
    const sets = [...ids.values()];
    const driveCount = all.flatMap(({ place }) => place.drives).length;
    const seesAll =
        sets.flat().length >= driveCount &&
        sets.every((set) => 2 * set.filter((id) => seen.has(id)).length >= set.length);
    return { drives, seesAll, problems };
}

async function missingSettings(
    node: ReadyNode,
    { from, to, missingSettings: missing }: Migration,
    clock: Clock,
): Promise<string[]> {
    if (missing.length === 0) {
        return [];
    }
    let settings: Map<string, string[]>;
    try {
        settings = await questionsOf(node, from, clock).settings();
    } catch (error) {
        return [
            `the settings of ${from.name}'s buckets can't be read from ${node.place.name}: ${(error as Error).message}. Run this again ` +
                `once ${from.name} answers; or, if its settings may lose their effect, add \`--lose-settings\``,
        ];
    }
    return missing.flatMap((setting) => {
        const buckets = [...settings].filter(([, names]) => names.includes(setting)).map(([bucket]) => bucket);
        if (buckets.length === 0) {
            return [];
        }
        return [
            `${listOf(buckets)}: ${to.name} doesn't have the ${setting} setting. Remove it there; or, if it may lose its effect, add ` +
                "`--lose-settings`",
        ];
    });
}

function objectProblems(objects: readonly UnreadableObject[], { from, to }: Migration): string[] {
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    return kinds.map((kind) => {
        const names = objects.filter((one) => one.kind === kind).map(({ object }) => object);
        const what =
            kind === "older" ? `in an older format of ${from.name}` : kind === DAMAGED ? "unreadable on a drive" : kind;
        return (
            `${listOf(names)}: ${to.name} can't read objects that are ${what}. Write them again as plain objects, or copy them ` +
            "elsewhere and delete all their versions here; one that clients can't find is left on a drive that was away when it was deleted. " +
            "Or, if they may be unreadable, add `--lose-unreadable`"
        );
    });
}

function questionsOf({ engine, container }: ReadyNode, profile: ServiceProfile, clock: Clock): StoreQuestions {
    return new StoreQuestions((command, seconds) => engine.run(container, command, [], seconds), profile, clock);
}

function listOf(names: string[]): string {
    return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? " …" : "");
}
