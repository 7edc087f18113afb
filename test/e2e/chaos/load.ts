import type { DeploymentOutputs } from "../harness/deployment";
import type { Store } from "../harness/stores";
import { ChaosClient } from "./chaosClient";
import { LoadWorker } from "./loadWorker";
import type { ObjectLedger } from "./objectLedger";
import { POPULATIONS, type OperationRecord } from "./operations";

const WORKERS_PER_POPULATION = 4;

/** A load ends by itself after this time and this number of operations, even if it isn't stopped. */
const LIMIT = { milliseconds: 20 * 60_000, operations: 40_000 };

/** What a load works on. */
export interface LoadTarget {
    store: Store;
    outputs: DeploymentOutputs;
    /** CA that clients trust in addition to the stack's own. */
    nextCertificate: { ca: string };
    /** Milliseconds without a byte after which clients send a request again. Default: the SDK's, none. */
    socketTimeout?: number;
}

/** A mixed load by both populations of clients at the same time. */
export class Load {
    private stopped = false;
    private readonly begin = Date.now();
    private readonly clients: ChaosClient[] = [];
    private readonly workers: LoadWorker[] = [];
    private readonly done: Promise<unknown>;

    private constructor(target: LoadTarget, ledger: ObjectLedger, name: string) {
        for (const population of POPULATIONS) {
            const client = new ChaosClient(
                target.outputs,
                population,
                [target.nextCertificate.ca],
                target.socketTimeout,
            );
            this.clients.push(client);
            for (let number = 1; number <= WORKERS_PER_POPULATION; number++) {
                const prefix = `${name}/${population}-${number}/`;
                const { consolePath } = target.store;
                this.workers.push(new LoadWorker({ client, population, ledger, prefix, consolePath }));
            }
        }
        this.done = Promise.all(this.workers.map((worker) => worker.work(() => this.goesOn())));
    }

    /** Starts a load; the keys of its objects have a prefix. */
    static start(target: LoadTarget, ledger: ObjectLedger, name: string): Load {
        return new Load(target, ledger, name);
    }

    /** The operations so far. */
    records(): OperationRecord[] {
        return this.workers.flatMap(({ records }) => records);
    }

    /** Whether both populations have succeeded recently, without a failure. */
    isServed(milliseconds: number): boolean {
        const last = this.records().filter(({ end }) => end > Date.now() - milliseconds);
        return (
            last.every(({ failure }) => failure === undefined) &&
            POPULATIONS.every((population) => last.some((record) => record.population === population))
        );
    }

    /** Waits for the operations in progress, and returns all operations. */
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
