import type { EngineSwarm } from "../../components/docker/swarm";
import { swarmOfHosts, type AnsweringHost, type HostsSwarm } from "../../components/hosts/swarm/swarmMembers";
import type { StoreHost } from "../../components/args/hostArgs";

/** One line per host, below a line of headers: name, address, role, and state in the swarm. */
export function hostTable(hosts: readonly StoreHost[], swarms: ReadonlyMap<string, EngineSwarm | Error>): string[] {
    const all = swarmOfHosts(hosts, swarms);
    const rows = hosts.map((host, index): string[] => {
        const found = all.answering.find((one) => one.place === index);
        const known = found === undefined ? ["?", "doesn't answer"] : [roleOf(found, all), stateOf(found, all)];
        return [host.name, host.address, ...known];
    });
    const cells = [["HOST", "ADDRESS", "ROLE", "STATE"], ...rows];
    const width = (column: number) => Math.max(...cells.map((row) => (row[column] ?? "").length));
    return cells.map((row) =>
        row
            .map((cell, column) => cell.padEnd(width(column)))
            .join("  ")
            .trimEnd(),
    );
}

function roleOf(one: AnsweringHost, all: HostsSwarm): string {
    if (one.swarm.nodeId === undefined) {
        return "-";
    }
    return (all.nodeOf(one) ?? one.swarm).isManager ? "manager" : "worker";
}

function stateOf(one: AnsweringHost, all: HostsSwarm): string {
    const membership = all.membership(one);
    if (membership !== "member") {
        return {
            none: "in no swarm",
            joining: "joining",
            locked: "locked",
            failed: "failed",
            elsewhere: "in another swarm",
            removed: "removed from the swarm",
        }[membership];
    }
    const node = all.nodeOf(one);
    if (node === undefined) {
        return one.swarm.noQuorum ? "no quorum" : "unknown";
    }
    return [
        node.status,
        ...(node.availability === "active" ? [] : [node.availability]),
        ...(node.isManager && !node.isReachable ? ["unreachable as manager"] : []),
    ].join(", ");
}
