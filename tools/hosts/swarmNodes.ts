import type Docker from "dockerode";
import { poll, type Clock } from "../../components/docker/poll";
import { readSwarm, type SwarmNode } from "../../components/docker/swarm";
import type { SwarmRole } from "./membershipPlan";

/** Seconds after which a node that has joined must be ready, and a new manager reachable. It usually takes one or two. */
const READY_TIMEOUT = 60;

/**
 * Waits until a node has its role, so that the next change finds a quorum.
 *
 * @param managing Engine of a manager.
 */
export async function untilListed(managing: Docker, id: string, role: SwarmRole, clock: Clock): Promise<void> {
    const isReady = ({ status, isReachable }: SwarmNode) => status === "ready" && (role === "worker" || isReachable);
    const ready = await poll(
        async () => (await readSwarm(managing)).nodes?.find((node) => node.id === id && isReady(node)),
        { clock, timeout: READY_TIMEOUT },
    );
    if (ready === undefined) {
        throw new Error(`the managers don't reach its node ${id} as ${role} after ${READY_TIMEOUT} s`);
    }
}

/** The part of a node that can be changed. The API requires all of it. */
export interface NodeSpec {
    Labels?: { [label: string]: string } | null;
    Role: string;
    Availability: string;
}

/** Seconds in which a change must succeed that others prevented by changing the same node. */
const UPDATE_TIMEOUT = 10;

/**
 * Changes a node. The managers change nodes too, and refuse a change that is based on an older version; it is then repeated.
 *
 * @param managing Engine of a manager.
 */
export async function updateNode(
    managing: Docker,
    id: string,
    change: (spec: NodeSpec) => Partial<NodeSpec>,
    clock: Clock,
): Promise<void> {
    const node = managing.getNode(id);
    let refusal: unknown;
    const changed = await poll(
        async () => {
            const found = (await node.inspect()) as { Version: { Index: number }; Spec: NodeSpec };
            const options = {
                _query: { version: found.Version.Index },
                _body: { ...found.Spec, ...change(found.Spec) },
            };
            try {
                await node.update(options);
                return true;
            } catch (error) {
                refusal = error;
                if (!/out of sequence/.test((error as Error).message)) {
                    throw error;
                }
                return undefined;
            }
        },
        { clock, timeout: UPDATE_TIMEOUT },
    );
    if (changed === undefined) {
        throw refusal;
    }
}
