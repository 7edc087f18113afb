/** Results of requests that were sent one after the other. */
export interface SteadyTally {
    answered: number;
    /** The error of each failed request. Requests are never retried. */
    failures: string[];
}

/** Sends a request repeatedly, one at a time, until it is stopped. */
export class SteadyRequests {
    private readonly tally: SteadyTally = { answered: 0, failures: [] };
    private readonly running: Promise<void>;
    private stopping = false;

    /** @param request Called with the number of requests before it; throws if the request fails. */
    constructor(private readonly request: (count: number) => Promise<void>) {
        this.running = this.run();
    }

    /** Number of requests that have ended, successful or not. */
    get ended(): number {
        return this.tally.answered + this.tally.failures.length;
    }

    async stop(): Promise<SteadyTally> {
        this.stopping = true;
        await this.running;
        return this.tally;
    }

    private async run(): Promise<void> {
        for (let count = 0; !this.stopping; count++) {
            try {
                await this.request(count);
                this.tally.answered++;
            } catch (error) {
                this.tally.failures.push(`${new Date().toISOString()} request ${count}: ${String(error)}`);
            }
        }
    }
}

/** Begins requests at a fixed rate, however long earlier ones take, until it is stopped. */
export class RequestsAtRate {
    private readonly tally: SteadyTally = { answered: 0, failures: [] };
    private readonly begun: Promise<void>[] = [];
    private readonly timer: NodeJS.Timeout;

    /**
     * @param perSecond Requests that begin in each second.
     * @param request Throws if the request fails.
     */
    constructor(perSecond: number, request: () => Promise<void>) {
        this.timer = setInterval(() => {
            const number = this.begun.length;
            this.begun.push(
                request().then(
                    () => {
                        this.tally.answered++;
                    },
                    (error: unknown) => {
                        this.tally.failures.push(`${new Date().toISOString()} request ${number}: ${String(error)}`);
                    },
                ),
            );
        }, 1000 / perSecond);
    }

    /** Begins no more, and returns the results once all have ended. */
    async stop(): Promise<SteadyTally> {
        clearInterval(this.timer);
        await Promise.all(this.begun);
        return this.tally;
    }
}
