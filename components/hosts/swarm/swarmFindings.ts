import { type SwarmNode, OPEN_PORTS } from "../../docker/swarm";
import type { Problem } from "../../checks/problem";
import { LABELS } from "../../naming/labels";
import type { StoreHost } from "../../args/hostArgs";
import { dockerOn, joinAgain, joinByHand, JOIN_COMMAND, labelByHand } from "./swarmCommands";
import { otherNodes, type AnsweringHost, type HostsSwarm } from "./swarmMembers";

/** A problem of a swarm, and what `npm run hosts -- join` does about it. */
export interface SwarmFinding extends Problem {
    /**
     * It corrects the problem, or leaves it to the user, or changes nothing at all before the user has corrected it. Or it
     * waits a minute before that, since the problem may pass: engines have just been started, or have just left the swarm.
     */
    join: "corrects" | "leaves" | "refuses" | "waits";
}

/** The problem of a host whose engine doesn't answer. */
export function unreachable(host: StoreHost, index: number, error: unknown): SwarmFinding {
    const message = error instanceof Error ? error.message : "its Docker daemon wasn't asked";
    const reason = `"${host.name}": ${message}; to test it: ${dockerOn(host)} version`;
    return { propertyPath: `hosts[${index}].dockerHost`, reason, join: "refuses" };
}

/** The problems of one host whose engine answers. */
export function hostFindings(one: AnsweringHost, all: HostsSwarm): SwarmFinding[] {
    const { host, place, swarm } = one;
    const same = all.answering.find((other) => other.place < place && isSameEngine(other, one));
    if (same !== undefined) {
        const reason =
            `"${host.dockerHost}" is the Docker daemon of hosts[${same.place}] too, node ${swarm.nodeId}: ` +
            `give each host its own; ${dockerOn(host)} info shows which one this is`;
        return [{ propertyPath: `hosts[${place}].dockerHost`, reason, join: "refuses" }];
    }
    switch (all.membership(one)) {
        case "none":
            return [notInSwarm(one, all), ...otherNodeFindings(one, all)];
        case "member":
            return memberFindings(one, all);
        default:
            return [outside(one, all)];
    }
}

function isSameEngine(one: AnsweringHost, other: AnsweringHost): boolean {
    return one.swarm.nodeId !== undefined && one.swarm.nodeId === other.swarm.nodeId;
}

function notInSwarm(one: AnsweringHost, all: HostsSwarm): SwarmFinding {
    const { host, place } = one;
    const reason = `"${host.name}" is in no swarm: ${JOIN_COMMAND} makes it a member${joinByHand(one, all)}`;
    return { propertyPath: `hosts[${place}]`, reason, join: "corrects" };
}

/** The problem of an engine that is neither a member nor free to become one. */
function outside(one: AnsweringHost, all: HostsSwarm): SwarmFinding {
    const { host, place, swarm } = one;
    const docker = dockerOn(host);
    const leave = `${docker} swarm leave${swarm.isManager ? " --force" : ""}, then ${JOIN_COMMAND}`;
    const error = swarm.error === "" ? "" : ` (${swarm.error})`;
    const key =
        all.manager === undefined
            ? "docker swarm unlock-key on a manager"
            : `${dockerOn(all.manager.host)} swarm unlock-key`;
    const reasons: { [membership: string]: string } = {
        joining: `tries to join a swarm whose managers don't answer${error}: ${OPEN_PORTS}; to start over: ${leave}`,
        locked: `is locked since its Docker daemon was restarted: ${docker} swarm unlock, with the key that ${key} shows`,
        failed: `can't take part in its swarm${error}: restart its Docker daemon; if that doesn't help: ${docker} swarm leave --force, then ${JOIN_COMMAND}`,
        elsewhere:
            `is in another swarm (${swarm.clusterId ?? `node ${swarm.nodeId}`}) than "${all.first?.host.name}" ` +
            `(${all.first?.swarm.clusterId ?? `node ${all.first?.swarm.nodeId}`}): if nothing else needs its swarm: ${leave}`,
        removed: `isn't a member any more: the managers have removed its node ${swarm.nodeId}: ${leave}`,
    };
    const reason = `"${host.name}" ${reasons[all.membership(one)]}`;
    return { propertyPath: `hosts[${place}]`, reason, join: "refuses" };
}

function memberFindings(one: AnsweringHost, all: HostsSwarm): SwarmFinding[] {
    const { host, place, swarm } = one;
    const node = all.nodeOf(one);
    const advertised = addressFinding(one, all, node);
    if (node === undefined || all.manager === undefined) {
        return advertised;
    }
    const docker = dockerOn(all.manager.host);
    const down = `"${host.name}" is down for the managers, though its Docker daemon answers: ${OPEN_PORTS}; ${docker} node inspect ${node.id} shows more`;
    const paused =
        `"${host.name}" has the availability ${node.availability}, so its containers can't be connected to the swarm's networks: ` +
        `${docker} node update --availability active ${node.id}`;
    const propertyPath = `hosts[${place}]`;
    return [
        ...(node.status === "down" ? [{ propertyPath, reason: down, join: "waits" as const }] : []),
        ...(node.availability === "active" ? [] : [{ propertyPath, reason: paused, join: "leaves" as const }]),
        ...advertised,
        ...labelFinding(one, node, all.manager.host),
        ...(swarm.address === host.address ? otherNodeFindings(one, all) : []),
    ];
}

/** Addresses without information about where a node is. Some releases of Docker report them for the leader. */
const OWN_ADDRESSES = /^(|0\.0\.0\.0|127\..*)$/;

function addressFinding(one: AnsweringHost, all: HostsSwarm, node: SwarmNode | undefined): SwarmFinding[] {
    const { host, place, swarm } = one;
    const propertyPath = `hosts[${place}].address`;
    if (swarm.address !== host.address) {
        const reason =
            `"${host.address}" is not the address that "${host.name}" advertises in the swarm, ${swarm.address}: ` +
            `set it to ${swarm.address}, or make it advertise this one: ${joinAgain(one, all)}`;
        return [{ propertyPath, reason, join: "refuses" }];
    }
    if (node === undefined || node.address === host.address || OWN_ADDRESSES.test(node.address)) {
        return [];
    }
    const reason =
        `"${host.address}" is not the address from which the managers hear from "${host.name}", ${node.address}, ` +
        `so data may not reach it: set it to ${node.address}, then ${joinAgain(one, all)}`;
    return [{ propertyPath, reason, join: "leaves" }];
}

function labelFinding({ host, place }: AnsweringHost, node: SwarmNode, manager: StoreHost): SwarmFinding[] {
    const propertyPath = `hosts[${place}].name`;
    const command = labelByHand(manager, host.name, node.id);
    if (node.host === undefined) {
        const reason = `"${host.name}" is not on its node as label ${LABELS.host}: ${JOIN_COMMAND} sets it; by hand: ${command}`;
        return [{ propertyPath, reason, join: "corrects" }];
    }
    const reason =
        `"${host.name}" has another name in the swarm, "${node.host}": set name to "${node.host}", ` +
        `or, if no other stack and no data use that name: ${command}`;
    return node.host === host.name ? [] : [{ propertyPath, reason, join: "refuses" }];
}

function otherNodeFindings(one: AnsweringHost, all: HostsSwarm): SwarmFinding[] {
    const { host, place } = one;
    const { manager } = all;
    if (manager === undefined) {
        return [];
    }
    return otherNodes(all, one).map(({ id, address, status, isManager }) => {
        const docker = dockerOn(manager.host);
        const demote = isManager ? `${docker} node demote ${id}, then ` : "";
        const remove = `${demote}${docker} node rm ${status === "down" ? "" : "--force "}${id}`;
        const found = `"${host.name}" has another node in the swarm, ${id} (${address}, ${status})`;
        return {
            propertyPath: `hosts[${place}]`,
            reason:
                status === "down"
                    ? `${found}, from before its Docker daemon joined again or was replaced, which keeps its addresses in networks: ${remove}`
                    : `${found}: if that is another machine, set another name or address here; if it is this one from before it left the swarm: ${remove}`,
            join: status === "down" ? "leaves" : "waits",
        };
    });
}
