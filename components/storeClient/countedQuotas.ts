import type { CommandResult } from "../docker/model";
import { poll, type Clock } from "../docker/poll";
import type { ServiceProfile } from "../store/serviceProfile";
import { chunks, failedAnswer, fieldsOf, isFailure, NodeRequests, type Answer, type RunInNode } from "./nodeRequests";

/** Longest wait for a store's counts, in seconds. */
const WAIT_SECONDS = 600;

/** Time between two messages about what is waited for, in seconds. */
const PROGRESS_SECONDS = 20;

/** Time between two questions, in milliseconds. RustFS logs each 503. */
export const QUESTION_INTERVAL = 2000;

/** Time limit of one command in a node's container, in seconds. */
const COMMAND_SECONDS = 60;

/** Number of buckets that a message names. */
const SHOWN = 10;

/** A node of a store that can be asked. */
export interface AskedNode {
    /** Whether it passes its health check now. */
    isHealthy: () => Promise<boolean>;
    run: RunInNode;
}

/** A node of a store in a container. */
export function nodeOnEngine(
    engine: {
        checkHealth: (container: string) => Promise<CommandResult>;
        run: (container: string, command: string[], environment: string[], seconds: number) => Promise<CommandResult>;
    },
    container: string,
): AskedNode {
    return {
        isHealthy: async () => (await engine.checkHealth(container)).code === 0,
        run: (command, seconds) => engine.run(container, command, [], seconds),
    };
}

/** What the nodes of a store say of a bucket: whether all have counted it, or the failure of the question. */
export type BucketCount = "counted" | "uncounted" | Error;

/** Asks the healthy nodes of a store which buckets with a quota they refuse writes to. It only reads. */
export class QuotaQuestions {
    constructor(
        private readonly nodes: readonly AskedNode[],
        private readonly profile: Pick<ServiceProfile, "name" | "variables" | "quotaPaths">,
    ) {}

    /**
     * Names of the buckets that have a quota. None for a store that takes writes to them at once.
     *
     * @throws {Error} if no node is healthy, or one doesn't answer.
     */
    async limited(): Promise<string[]> {
        const { quotaPaths } = this.profile;
        if (quotaPaths === undefined) {
            return [];
        }
        const [node] = await this.healthy();
        const [list] = await this.answers(node, ["/"]);
        if (list?.status !== 200) {
            throw new Error(`it ${failedAnswer(list ?? { path: "/", status: 0, body: "" })}`);
        }
        const buckets = fieldsOf(list.body, "Name");
        const answers = await this.answers(
            node,
            buckets.map((bucket) => quotaPaths.quota + bucket),
        );
        return buckets.filter((_, index) => hasQuota(answers[index]));
    }

    /**
     * Those of the buckets that a healthy node has not counted: each node has its own knowledge. None for a store that needs
     * no counts.
     *
     * @throws {Error} if no node is healthy, or one doesn't answer.
     */
    async uncounted(buckets: readonly string[]): Promise<string[]> {
        // One command at a time: of what follows a bucket that isn't counted, nothing is known yet.
        for (const [index, some] of chunks(buckets).entries()) {
            const counts = await this.counts(some);
            const refused = uncountedOf(some, counts);
            if (refused.length > 0) {
                return [
                    ...refused,
                    ...chunks(buckets)
                        .slice(index + 1)
                        .flat(),
                ];
            }
        }
        return [];
    }

    /**
     * What the healthy nodes say of each bucket, in their order.
     *
     * @throws {Error} if no node is healthy, or a command in one fails.
     */
    async counts(buckets: readonly string[]): Promise<BucketCount[]> {
        const { quotaPaths } = this.profile;
        if (quotaPaths === undefined || buckets.length === 0) {
            return buckets.map(() => "counted");
        }
        const nodes = await this.healthy();
        const paths = buckets.map((bucket) => quotaPaths.count + bucket);
        const ofNodes = await Promise.all(nodes.map((node) => this.requests(node).get(paths)));
        return buckets.map((_, index) => {
            const answers = ofNodes.flatMap((ofNode) => ofNode[index] ?? []);
            const failed = failureIn(answers, 503);
            return failed ?? (answers.some(({ status }) => status === 503) ? "uncounted" : "counted");
        });
    }

    private async healthy(): Promise<[AskedNode, ...AskedNode[]]> {
        const areHealthy = await Promise.all(this.nodes.map((node) => node.isHealthy()));
        const [first, ...others] = this.nodes.filter((_, index) => areHealthy[index]);
        if (first === undefined) {
            throw new Error("no node is healthy");
        }
        return [first, ...others];
    }

    private async answers(node: AskedNode, paths: string[]): Promise<Answer[]> {
        const answers = await this.requests(node).get(paths);
        const failed = failureIn(answers);
        if (failed !== undefined) {
            throw failed;
        }
        return answers;
    }

    private requests(node: AskedNode): NodeRequests {
        return new NodeRequests((command) => node.run(command, COMMAND_SECONDS), this.profile);
    }
}

/**
 * Those of the buckets that aren't counted.
 *
 * @param counts What the nodes say of each.
 * @throws {Error} if they have no answer about one of them.
 */
export function uncountedOf(buckets: readonly string[], counts: readonly BucketCount[]): string[] {
    const failed = counts.find((count) => count instanceof Error);
    if (failed !== undefined) {
        throw failed;
    }
    return buckets.filter((_, index) => counts[index] === "uncounted");
}

/**
 * The first failure among answers.
 *
 * @param meant Status of 500 or more that is an answer too. Default: none.
 */
function failureIn(answers: readonly Answer[], meant?: number): Error | undefined {
    const failed = answers.find(({ status }) => isFailure(status) && status !== meant);
    return failed && new Error(`it ${failedAnswer(failed)}`);
}

/** Whether an answer says that a bucket has a quota. A store that doesn't know the question doesn't say so. */
function hasQuota(answer: Answer | undefined): boolean {
    try {
        return answer?.status === 200 && (JSON.parse(answer.body) as { quota?: number }).quota !== 0;
    } catch {
        return false;
    }
}

/** How a program waits for a store's counts. */
export interface CountingOptions {
    /** Name of the store in messages. */
    storeName: string;
    /** Names of the buckets. Default: all that have a quota. */
    buckets?: readonly string[];
    clock: Clock;
    report: {
        /** Reports what is happening now. */
        progress: (text: string) => Promise<void>;
        /** Reports what the operator should also see afterwards. */
        warning: (text: string) => Promise<void>;
    };
    /** Whether the program has to end. */
    isOver: () => boolean;
}

/**
 * Waits until a store takes writes to buckets with a quota: until it has counted their objects. It says every 20 s what it
 * waits for. After 10 minutes it gives a warning: the counting needs no update and ends by itself. Never rejects, and waits for
 * no answer longer than that.
 */
export async function untilCounted(
    questions: Pick<QuotaQuestions, "limited" | "uncounted">,
    { storeName, buckets, clock, report, isOver }: CountingOptions,
): Promise<void> {
    let left = buckets;
    let problem: string | undefined;
    let nextReport = clock.now();
    const ask = async () => {
        try {
            left = await questions.uncounted(left ?? (left = await questions.limited()));
            problem = undefined;
        } catch (error) {
            problem = (error as Error).message;
        }
    };
    let asking: Promise<void> | undefined;
    let askedAt = 0;
    const ended = await poll(
        async () => {
            if (isOver() || left?.length === 0) {
                return true;
            }
            if (asking === undefined) {
                askedAt = clock.now();
                asking = ask().finally(() => (asking = undefined));
            }
            // An engine that hangs answers late, or never.
            await Promise.race([asking, clock.sleep(QUESTION_INTERVAL)]);
            if (left?.length === 0) {
                return true;
            }
            if (clock.now() < nextReport) {
                return undefined;
            }
            nextReport += PROGRESS_SECONDS * 1000;
            // Without anybody who hears it, there is nothing to wait for.
            return unheard(
                report.progress(
                    `waiting until ${storeName} has counted the objects of ${listed(left)}: until then it refuses writes to buckets ` +
                        "with a quota, with 503",
                ),
            );
        },
        { clock, timeout: WAIT_SECONDS, interval: QUESTION_INTERVAL },
    );
    if (ended === undefined) {
        const pending = Math.round((clock.now() - askedAt) / 1000);
        if (asking !== undefined && pending > COMMAND_SECONDS) {
            problem ??= `there has been no answer for ${pending} s`;
        }
        const what =
            problem === undefined
                ? `${storeName} has not counted the objects of ${listed(left)} within ${WAIT_SECONDS / 60} minutes: until it has, it`
                : `${storeName} couldn't be asked whether it has counted the objects of ${listed(left)}: ${problem}. Until it has, it`;
        await unheard(
            report.warning(
                `${what} refuses writes to buckets with a quota, with 503. That ends by itself, no update is needed; everything ` +
                    "else works",
            ),
        );
    }
}

/** Resolves to true if nobody hears a report, otherwise to undefined. */
function unheard(report: Promise<void>): Promise<true | undefined> {
    return report.then(
        () => undefined,
        () => true,
    );
}

function listed(buckets: readonly string[] | undefined): string {
    if (buckets === undefined) {
        return "buckets with a quota";
    }
    const more = buckets.length > SHOWN ? ` and ${buckets.length - SHOWN} more` : "";
    return buckets.slice(0, SHOWN).join(", ") + more;
}
