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
