import { randomBytes } from "node:crypto";
import { get } from "./clients";
import type { DeploymentOutputs } from "./deployment";

/** Longer than an update takes to drain the first node, also on a busy machine. */
const LONGEST_SECONDS = 120;

/** The end of a {@link LastingRequest}. */
export interface LastingAnswer {
    status: number;
    /** Name of the node that answered. */
    node: string;
    /** Time at which it ended, in milliseconds. */
    ended: number;
}

/** A request that runs on one node of the stand-in until it is released. */
export class LastingRequest {
    private readonly name = randomBytes(4).toString("hex");
    private readonly answer: Promise<LastingAnswer>;

    constructor(
        private readonly outputs: DeploymentOutputs,
        /** `node1` … */
        private readonly server: string,
    ) {
        this.answer = this.ask(`slow?seconds=${LONGEST_SECONDS}&until=${this.name}`).then(({ status, body }) => {
            const { node } = JSON.parse(body) as { node: string };
            return { status, node, ended: Date.now() };
        });
        // Whoever releases it gets its error.
        this.answer.catch(() => undefined);
    }

    /**
     * Lets the node answer now, and returns the answer. The node may be drained, but not in maintenance.
     *
     * @throws {Error} if it doesn't run on that node any more.
     */
    async release(): Promise<LastingAnswer> {
        const { status, body } = await this.ask(`release?name=${this.name}`);
        if (status !== 200 || (JSON.parse(body) as { released: number }).released !== 1) {
            throw new Error(`the request to ${this.server} had ended before its release: ${status} ${body}`);
        }
        return this.answer;
    }

    /** The console's cookie leads to a node, also while it is drained. */
    private async ask(action: string): Promise<{ status: number; body: string }> {
        const cookie = `service_console=${this.server}`;
        const { status, body } = await get(this.outputs, `${this.outputs.consoleUrl}/service/${action}`, { cookie });
        return { status, body: body.toString("utf8") };
    }
}
