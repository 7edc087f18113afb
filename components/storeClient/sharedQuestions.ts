import type { Clock } from "../docker/poll";
import { QUESTION_INTERVAL, uncountedOf, type BucketCount, type QuotaQuestions } from "./countedQuotas";

type Questions = Pick<QuotaQuestions, "counts" | "limited">;

/** A question that has not been asked yet. */
interface Planned {
    buckets: Set<string>;
    answer: Promise<Map<string, BucketCount>>;
}

/**
 * The questions of several waits about one store. A question begins once the one before has its answer, and 2 s after that one
 * began: what is asked until then is asked together. So a hundred buckets whose quotas are set at once cost one
 * question every two seconds.
 */
export class SharedQuestions {
    private next: Planned | undefined;
    private last: Promise<unknown> = Promise.resolve();
    private notBefore = 0;

    constructor(
        private readonly questions: Questions,
        private readonly clock: Clock,
    ) {}

    limited(): Promise<string[]> {
        return this.questions.limited();
    }

    /**
     * As {@link QuotaQuestions.uncounted}. A bucket without an answer concerns only those who ask for it.
     *
     * @throws {Error} as it does.
     */
    async uncounted(buckets: readonly string[]): Promise<string[]> {
        if (buckets.length === 0) {
            return [];
        }
        this.next ??= this.plan();
        const { buckets: all, answer } = this.next;
        for (const bucket of buckets) {
            all.add(bucket);
        }
        const counts = await answer;
        return uncountedOf(
            buckets,
            buckets.map((bucket) => counts.get(bucket) ?? "uncounted"),
        );
    }

    private plan(): Planned {
        const buckets = new Set<string>();
        const ask = async () => {
            await this.clock.sleep(Math.max(0, this.notBefore - this.clock.now()));
            this.notBefore = this.clock.now() + QUESTION_INTERVAL;
            this.next = undefined;
            const asked = [...buckets];
            const counts = await this.questions.counts(asked);
            return new Map(counts.map((count, index) => [asked[index] ?? "", count]));
        };
        const answer = this.last.then(ask, ask);
        this.last = answer;
        return { buckets, answer };
    }
}

/** The questions about each store, for as long as somebody waits for its answers. */
export class QuestionsOfStores {
    private readonly stores = new Map<string, { questions: Promise<SharedQuestions>; waits: number }>();

    constructor(private readonly clock: Clock) {}

    /**
     * Waits for a store's answers.
     *
     * @param key What identifies the store.
     * @param open Finds out whom to ask; called unless another wait for the same store goes on.
     */
    async during<Result>(
        key: string,
        open: () => Promise<Questions>,
        wait: (questions: SharedQuestions) => Promise<Result>,
    ): Promise<Result> {
        const store = this.stores.get(key) ?? {
            questions: open().then((questions) => new SharedQuestions(questions, this.clock)),
            waits: 0,
        };
        this.stores.set(key, store);
        store.waits++;
        try {
            return await wait(await store.questions);
        } finally {
            if (--store.waits === 0) {
                this.stores.delete(key);
            }
        }
    }
}
