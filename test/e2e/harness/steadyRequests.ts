/** What came of requests that were made one after the other. */
export interface SteadyTally {
    answered: number;
    /** What each request that failed met. Nothing is tried again. */
    failures: string[];
}

/** Makes a request over and over, one at a time, until it is stopped. */
export class SteadyRequests {
    private readonly tally: SteadyTally = { answered: 0, failures: [] };
    private readonly running: Promise<void>;
    private stopping = false;

    /** @param request Is given the count of requests before it, and fails by an error. */
    constructor(private readonly request: (count: number) => Promise<void>) {
        this.running = this.run();
    }

    /** How many requests have ended, well or not. */
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
