import { LABELS } from "../../naming/labels";
import type { StoreHost } from "../../args/hostArgs";
import type { AnsweringHost, HostsSwarm } from "./swarmMembers";
import { SWARM_PORT } from "../../docker/swarm";

/** The command that makes all hosts members of one swarm. */
export const JOIN_COMMAND = "npm run hosts -- join";

/** The docker CLI with the options that select a host's engine. */
export function dockerOn({ dockerHost, certPath }: StoreHost): string {
    return certPath === undefined
        ? `docker -H ${dockerHost}`
        : `DOCKER_CERT_PATH=${certPath} docker --tlsverify -H ${dockerHost}`;
}

/** The command that makes an engine a member by hand, as the end of a reason. Empty if no host can give it a token. */
export function joinByHand({ host }: AnsweringHost, { manager, first, answering }: HostsSwarm): string {
    const { address } = host;
    const options = `--advertise-addr ${address} --listen-addr ${address}:${SWARM_PORT} --data-path-addr ${address}`;
    const giver = manager?.host ?? (first === undefined ? answering[0]?.host : undefined);
    if (giver === undefined) {
        return "";
    }
    if (giver === host) {
        return `; by hand: ${dockerOn(host)} swarm init ${options}`;
    }
    const token = `$(${dockerOn(giver)} swarm join-token -q worker)`;
    const remote = `${manager?.swarm.address ?? giver.address}:${SWARM_PORT}`;
    return `; by hand: ${dockerOn(host)} swarm join ${options} --token ${token} ${remote}`;
}

/** The commands with which a member leaves the swarm, and joins it again. */
export function joinAgain({ host, swarm }: AnsweringHost, { manager, nodes = [] }: HostsSwarm): string {
    const others = nodes.filter(({ id, isManager }) => isManager && id !== swarm.nodeId);
    if (swarm.isManager && manager !== undefined && others.length > 0) {
        const demote = `${dockerOn(manager.host)} node demote ${swarm.nodeId}`;
        return `${demote}, then ${dockerOn(host)} swarm leave, then ${JOIN_COMMAND}`;
    }
    return `${dockerOn(host)} swarm leave${swarm.isManager ? " --force" : ""}, then ${JOIN_COMMAND}`;
}

/** The command that gives a node the name of its host. */
export function labelByHand(manager: StoreHost, name: string, nodeId: string): string {
    return `${dockerOn(manager)} node update --label-add ${LABELS.host}=${name} ${nodeId}`;
}
