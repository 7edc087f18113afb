import type { HealingRequests } from "./serviceProfile";

/** What a store says about the data of one drive. */
export interface DriveHealing {
    /** Name of the node's container. */
    node: string;
    /** Number of the drive in its node, from 1. */
    drive: number;
    /**
     * `healed`: nothing is missing on it, as far as the store knows. `unhealed`: something is, or the drive doesn't answer.
     * `unknown`: the store doesn't say.
     */
    state: "healed" | "unhealed" | "unknown";
    /** Why it isn't `healed`: `is being healed since 2026-11-20T10:00:00Z`. Empty if it is. */
    reason: string;
    /** Whether the store has the drive in use, healed or not. */
    inUse: boolean;
}

/** A node of a cluster, as far as its store names it and its drives. */
export interface NodeDrives {
    /** Name of its container. */
    name: string;
    drives: readonly { mountPath: string }[];
}

/** The answers of one node to the {@link HealingRequests}: a body, or an error if there is none. */
export type HealingAnswers = { [Request in keyof HealingRequests]?: string | Error };

/** A drive in the JSON of both stores (`Disk` in MinIO's madmin-go, info-commands.go; the same names in RustFS). */
interface ListedDrive {
    endpoint?: string;
    state?: string;
    healing?: boolean;
    heal_info?: { started?: string; finished?: boolean; items_failed?: number } | null;
}

/** RustFS's background healing (`BackgroundHealStatus` in rustfs/src/admin/handlers/heal.rs). */
interface HealingTasks {
    state?: string;
    coverage?: { unknown?: number };
}

/** RustFS's records of replaced drives (`ReplacementRecoveryStatusResponse` there). */
interface Replacements {
    local?: { definitive?: boolean; reason?: string | null; records?: ReplacementRecord[] };
    cluster?: { records?: ReplacementRecord[] };
}

interface ReplacementRecord {
    state?: string;
    targetSlots?: string[];
    reason?: string | null;
}

/**
 * What one node says about all drives of its cluster.
 *
 * @param absent Number of nodes that are known not to run, so that the store can't say anything about them. Default: 0.
 */
export function readHealing(
    answers: HealingAnswers,
    requests: HealingRequests,
    nodes: readonly NodeDrives[],
    absent = 0,
): DriveHealing[] {
    const doubts = [
        ...(requests.tasks === undefined ? [] : tasksDoubt(answers.tasks, absent)),
        ...(requests.replacements === undefined ? [] : replacementsDoubt(answers.replacements)),
    ];
    const listed = drivesIn(parsed(answers.drives));
    const records = recordsIn(answers.replacements);
    return nodes.flatMap(({ name, drives }) =>
        drives.map(({ mountPath }, index): DriveHealing => {
            const isHere = (endpoint: string | undefined) => isAt(endpoint, name, mountPath, nodes.length === 1);
            const found = listed.filter(({ endpoint }) => isHere(endpoint));
            const open = records.find(
                ({ state, targetSlots = [] }) => state !== "completed" && targetSlots.some(isHere),
            );
            const isMissing = listed.length > 0 && found.length === 0;
            const reason = isMissing
                ? "isn't among the drives that the store lists"
                : (found.map(whyUnhealed).find((why) => why !== "") ?? (open && describeRecord(open)));
            const of = { node: name, drive: index + 1, inUse: found.some(({ state }) => state === "ok") };
            if (reason !== undefined) {
                return { ...of, state: "unhealed", reason };
            }
            const [doubt] = found.length === 0 ? [noAnswer(answers.drives)] : doubts;
            return doubt === undefined
                ? { ...of, state: "healed", reason: "" }
                : { ...of, state: "unknown", reason: doubt };
        }),
    );
}

/** What several nodes say, taken together: a drive is healed if all of them say so. */
export function inAgreement(answers: readonly DriveHealing[][]): DriveHealing[] {
    const rank = { unhealed: 2, unknown: 1, healed: 0 };
    const [first = [], ...others] = answers;
    return first.map((drive, index) =>
        others
            .flatMap((other) => other[index] ?? [])
            .reduce((worst, one) => {
                const { state, reason } = rank[one.state] > rank[worst.state] ? one : worst;
                return { ...worst, state, reason, inUse: worst.inUse || one.inUse };
            }, drive),
    );
}

/** The number of parity drives in each erasure set of a pool, from 0, by a node's answer. Undefined if it doesn't say. */
export function parityIn({ drives }: HealingAnswers, pool: number): number | undefined {
    const { sc_parity: ofMinio, info: ofRustfs } = parsed(drives) as {
        sc_parity?: { STANDARD?: number };
        info?: { backend?: { StandardSCParities?: number[] } };
    };
    return ofMinio?.STANDARD ?? ofRustfs?.backend?.StandardSCParities?.[pool];
}

/** Why a drive isn't whole. Empty if it is. */
function whyUnhealed({ state = "", healing, heal_info: info }: ListedDrive): string {
    if (state !== "ok") {
        return `doesn't answer the others: ${state === "" ? "no state" : state}`;
    }
    if (healing === true) {
        return `is being healed${info?.started === undefined ? "" : ` since ${info.started}`}`;
    }
    // MinIO ends with `finished` also after the last attempt has left something out (healErasureSet in global-heal.go).
    const failed = info?.items_failed ?? 0;
    return failed === 0 ? "" : `was healed except for ${failed} object(s) that the store could not heal`;
}

/** Why RustFS's background healing shows that something isn't healed. */
function tasksDoubt(answer: string | Error | undefined, absent: number): string[] {
    const { state, coverage } = parsed(answer) as HealingTasks;
    if (state === undefined) {
        return [noAnswer(answer)];
    }
    // `degraded`: the nodes that answer heal nothing, and others don't answer.
    const isIdle = state === "idle" || (state === "degraded" && absent > 0);
    if (!isIdle) {
        return [`the store's background healing is ${state}`];
    }
    const unknown = coverage?.unknown ?? Infinity;
    return unknown > absent ? [`${unknown} node(s) don't say whether they heal anything`] : [];
}

/** Why RustFS's records don't show everything that was replaced. That there are none shows nothing. */
function replacementsDoubt(answer: string | Error | undefined): string[] {
    const { local } = parsed(answer) as Replacements;
    if (local === undefined) {
        return [noAnswer(answer)];
    }
    return local.definitive === true ? [] : [local.reason ?? "the store's records of replaced drives are incomplete"];
}

function recordsIn(answer: string | Error | undefined): ReplacementRecord[] {
    const { local, cluster } = parsed(answer) as Replacements;
    return [...(local?.records ?? []), ...(cluster?.records ?? [])];
}

function describeRecord({ state = "unknown", reason }: ReplacementRecord): string {
    const detail = reason === undefined || reason === null ? "" : ` (${reason})`;
    return `is not healed: ${state.replaceAll("_", " ")}${detail}`;
}

/** Every list of drives in an answer, wherever it is. MinIO has one for each erasure set. */
function drivesIn(value: unknown): ListedDrive[] {
    if (typeof value !== "object" || value === null) {
        return [];
    }
    return Object.entries(value).flatMap(([name, content]) =>
        name.toLowerCase() === "disks" && Array.isArray(content) ? (content as ListedDrive[]) : drivesIn(content),
    );
}

/** Whether an endpoint, as `http://NODE:9000/data/drive1` or `/data/drive1`, is a drive of a node. */
function isAt(endpoint: string | undefined, node: string, mountPath: string, isOnlyNode: boolean): boolean {
    const url = /^https?:\/\/([^:/]+)(?::\d+)?(\/.*)$/.exec(endpoint ?? "");
    return url === null
        ? isOnlyNode && endpoint?.replace(/^file:\/\//, "") === mountPath
        : url[1] === node && url[2] === mountPath;
}

function parsed(answer: string | Error | undefined): object {
    try {
        const value = typeof answer === "string" ? (JSON.parse(answer) as unknown) : undefined;
        return typeof value === "object" && value !== null ? value : {};
    } catch {
        return {};
    }
}

function noAnswer(answer: string | Error | undefined): string {
    return answer instanceof Error ? answer.message : "the store doesn't say whether it is healed";
}
