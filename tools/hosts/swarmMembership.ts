import type Docker from "dockerode";
import { poll, type Clock } from "../../components/docker/poll";
import { readSwarm, type EngineSwarm, OPEN_PORTS, SWARM_PORT } from "../../components/docker/swarm";
import { describeProblems } from "../../components/checks/problem";
import { LABELS } from "../../components/naming/labels";
import type { StoreHost } from "../../components/args/hostArgs";
import { StepError } from "../cli/step";
import { hostEngine } from "../stack/hostConnection";
import { membershipPlan, type MembershipPlan, type MembershipStep, type SwarmRole } from "./membershipPlan";
import { untilListed, updateNode, type NodeSpec } from "./swarmNodes";

/** What the changes of a swarm's membership use. */
export interface MembershipDependencies {
    /** A client of a host's engine, which has answered. */
    engine: (host: StoreHost) => Promise<Docker>;
    /** Prints one line. */
    print: (line: string) => void;
    clock: Clock;
}

/** What each host's engine reports about its swarm, by the host's name; an error if it doesn't answer. */
export async function readSwarms(
    hosts: readonly StoreHost[],
    engine: MembershipDependencies["engine"] = hostEngine,
): Promise<Map<string, EngineSwarm | Error>> {
    const swarms = hosts.map(async (host): Promise<[string, EngineSwarm | Error]> => [
        host.name,
        await engine(host)
            .then(readSwarm)
            .catch((error: unknown) => error as Error),
    ]);
    return new Map(await Promise.all(swarms));
}

/** Seconds after which problems that may pass are real ones. The managers notice in 15 to 45 that a node has left. */
const SETTLE_TIMEOUT = 60;

/** Plans a swarm of all hosts. Waits while nothing but problems that may pass prevents it. */
export async function planOnceQuiet(
    hosts: readonly StoreHost[],
    { engine, print, clock }: MembershipDependencies,
): Promise<MembershipPlan> {
    let plan = membershipPlan(hosts, await readSwarms(hosts, engine));
    const waits = () => plan.problems.length > 0 && plan.mayPass;
    if (waits()) {
        print(`waiting, since this may pass:\n${describeProblems(plan.problems)}`);
        await poll(
            async () => {
                plan = membershipPlan(hosts, await readSwarms(hosts, engine));
                return waits() ? undefined : plan;
            },
            { clock, timeout: SETTLE_TIMEOUT, interval: 2000 },
        );
    }
    return plan;
}

/**
 * Takes the steps of a plan, and prints each. It can be repeated after any failure: a new plan has the remaining steps.
 *
 * @throws {StepError} at the first step that fails.
 */
export async function carryOut(
    { steps, manager }: MembershipPlan,
    dependencies: MembershipDependencies,
): Promise<void> {
    for (const step of steps) {
        if (manager === undefined) {
            throw new Error("a plan with steps has a manager");
        }
        dependencies.print(`${step.host.name}: ${describe(step)}`);
        try {
            await take(step, manager, dependencies);
        } catch (error) {
            throw new StepError(
                `"${step.host.name}" ${describe(step)}: that failed: ${(error as Error).message.trim()}; ${advice(error as Error, step)}. ` +
                    "What was done before stays; correct the cause and run the command again",
            );
        }
    }
}

function advice({ message }: Error, { host }: MembershipStep): string {
    return /cannot assign requested address/.test(message)
        ? `"${host.address}" is not an address of that host: set its address to one that the other hosts reach`
        : OPEN_PORTS;
}

function describe(step: MembershipStep): string {
    switch (step.kind) {
        case "initialise":
            return `initialises the swarm, at ${step.host.address}`;
        case "join":
            return `joins the swarm as ${step.role}, at ${step.host.address}`;
        case "promote":
            return "becomes a manager";
        case "label":
            return `gets the label ${LABELS.host}=${step.host.name}`;
    }
}

async function take(step: MembershipStep, manager: StoreHost, dependencies: MembershipDependencies): Promise<void> {
    const { host } = step;
    const [engine, managing] = await Promise.all([dependencies.engine(host), dependencies.engine(manager)]);
    switch (step.kind) {
        case "initialise":
            await engine.swarmInit(addressesOf(host));
            return;
        case "join":
            return join(host, step.role, engine, managing, dependencies.clock);
        case "promote": {
            const id = await nodeIdOf(engine);
            await updateNode(managing, id, () => ({ Role: "manager" }), dependencies.clock);
            return untilListed(managing, id, "manager", dependencies.clock);
        }
        case "label": {
            const withLabel = ({ Labels: labels }: NodeSpec) => ({ Labels: { ...labels, [LABELS.host]: host.name } });
            return updateNode(managing, await nodeIdOf(engine), withLabel, dependencies.clock);
        }
    }
}

/** Where an engine listens, what it advertises, and the address for the data of overlay networks. */
function addressesOf({ address }: StoreHost): { [option: string]: string } {
    return { AdvertiseAddr: address, ListenAddr: `${address}:${SWARM_PORT}`, DataPathAddr: address };
}

async function join(host: StoreHost, role: SwarmRole, engine: Docker, managing: Docker, clock: Clock): Promise<void> {
    const { state, nodeId } = await readSwarm(engine);
    if (state !== "inactive") {
        throw new Error(
            `its Docker daemon is ${state} already, as node ${nodeId}: give each host a Docker daemon of its own`,
        );
    }
    const { JoinTokens: tokens } = (await managing.swarmInspect()) as Docker.Swarm;
    const token = role === "manager" ? tokens.Manager : tokens.Worker;
    const remote = await reachableManagers(managing);
    try {
        await engine.swarmJoin({ ...addressesOf(host), RemoteAddrs: remote, JoinToken: token });
    } catch (error) {
        const message = (error as Error).message.trim().replaceAll(token, "[token]");
        throw new StepError(message);
    }
    await untilListed(managing, await nodeIdOf(engine), role, clock);
}

/** Addresses of the managers that can be joined. */
async function reachableManagers(managing: Docker): Promise<string[]> {
    const { managers, nodes = [] } = await readSwarm(managing);
    const reachable = nodes.filter(({ isReachable }) => isReachable).map(({ id }) => id);
    return managers.filter(({ nodeId }) => reachable.includes(nodeId)).map(({ address }) => address);
}

async function nodeIdOf(engine: Docker): Promise<string> {
    const { nodeId, error } = await readSwarm(engine);
    if (nodeId === undefined) {
        throw new Error(`its Docker daemon is in no swarm (${error})`);
    }
    return nodeId;
}
