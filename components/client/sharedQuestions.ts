import type { Clock } from "../engine/poll";
import { INTERVAL, type QuotaQuestions } from "./countedQuotas";

type Questions = Pick<QuotaQuestions, "limited" | "uncounted">;

/** A question that has not been asked yet. */
interface Planned {
    buckets: Set<string>;
    /** Those that aren't counted. */
    answer: Promise<string[]>;
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
     * As {@link QuotaQuestions.uncounted}.
     *
     * @throws {Error} as it does.
     */
    async uncounted(buckets: readonly string[]): Promise<string[]> {
        this.next ??= this.plan();
        const { buckets: all, answer } = this.next;
        for (const bucket of buckets) {
            all.add(bucket);
        }
        const left = new Set(await answer);
        return buckets.filter((bucket) => left.has(bucket));
    }

    private plan(): Planned {
        const buckets = new Set<string>();
        const ask = async () => {
            await this.clock.sleep(Math.max(0, this.notBefore - this.clock.now()));
            this.notBefore = this.clock.now() + INTERVAL;
            this.next = undefined;
            return this.questions.uncounted([...buckets]);
        };
        const answer = this.last.then(ask, ask);
        this.last = answer;
        return { buckets, answer };
    }
}

/** The questions about each store, for as long as somebody waits for its answers. */
export class QuestionsOfStores {
    private readonly stores = new Map<string, { questions: Promise<Questions>; waits: number }>();

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
        wait: (questions: Questions) => Promise<Result>,
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
