import type { DeploymentOutputs } from "../harness/deployment";
import type { Store } from "../harness/stores";
import { ChaosClient } from "./chaosClient";
import { LoadWorker } from "./loadWorker";
import type { ObjectLedger } from "./objectLedger";
import { POPULATIONS, type OperationRecord } from "./operations";

const WORKERS_PER_POPULATION = 4;

/** A load ends by itself after this time and number of operations, even if nobody stops it. */
const LIMIT = { milliseconds: 20 * 60_000, operations: 40_000 };

/** What a load works on. */
export interface LoadTarget {
    store: Store;
    outputs: DeploymentOutputs;
    /** Clients trust its authority besides the stack's own. */
    nextCertificate: { authority: string };
}

/** A mixed load by both populations of clients, side by side. */
export class Load {
    private stopped = false;
    private readonly begin = Date.now();
    private readonly clients: ChaosClient[] = [];
    private readonly workers: LoadWorker[] = [];
    private readonly done: Promise<unknown>;

    private constructor(target: LoadTarget, ledger: ObjectLedger, name: string) {
        for (const population of POPULATIONS) {
            const client = new ChaosClient(target.outputs, population, [target.nextCertificate.authority]);
            this.clients.push(client);
            for (let number = 1; number <= WORKERS_PER_POPULATION; number++) {
                const prefix = `${name}/${population}-${number}/`;
                const { consolePath } = target.store;
                this.workers.push(new LoadWorker({ client, population, ledger, prefix, consolePath }));
            }
        }
        this.done = Promise.all(this.workers.map((worker) => worker.work(() => this.goesOn())));
    }

    /** Starts a load whose objects' keys begin with a name. */
    static start(target: LoadTarget, ledger: ObjectLedger, name: string): Load {
        return new Load(target, ledger, name);
    }

    /** What was done so far. */
    records(): OperationRecord[] {
        return this.workers.flatMap(({ records }) => records);
    }

    /** Whether in the last moments both populations had success, and nothing failed. */
    isServed(milliseconds: number): boolean {
        const last = this.records().filter(({ end }) => end > Date.now() - milliseconds);
        return (
            last.every(({ failure }) => failure === undefined) &&
            POPULATIONS.every((population) => last.some((record) => record.population === population))
        );
    }

    /** Lets what is under way end, and gives all that was done. */
    async stop(): Promise<OperationRecord[]> {
        this.stopped = true;
        await this.done;
        this.clients.forEach((client) => client.close());
        return this.records();
    }

    private goesOn(): boolean {
        return (
            !this.stopped && Date.now() - this.begin < LIMIT.milliseconds && this.records().length < LIMIT.operations
        );
    }
}
