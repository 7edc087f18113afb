import { onHost } from "../../components/docker/hosts";
import { removalProblems } from "../hosts/removalChecks";
import { isOn } from "../stack/stackHosts";
import { swarmsOf, type StackTarget } from "../stack/stackEngines";
import { StepError } from "../cli/step";
import { DOCKER_TYPES, nameOf, type StackState } from "../pulumi/stackState";
import { list } from "../stack/dataVolumes";

/**
 * Refuses to remove a stack from hosts that may be other ones than it was deployed to: an address may lead to another machine,
 * or to one of another swarm. Does nothing for a stack that names no hosts.
 *
 * @throws {StepError} with all problems, before anything is removed.
 */
export async function refuseOtherStacksHosts(target: StackTarget, stack: string, state: StackState): Promise<void> {
    if (target.hosts === undefined) {
        return;
    }
    const inSwarm = removalProblems(target.hosts, await swarmsOf(target));
    const problems = inSwarm.length > 0 ? inSwarm : await otherNetworks(target, state);
    if (problems.length > 0) {
        throw new StepError(
            `nothing was removed, since the hosts don't match the stack ${stack}:\n${list(problems)}\n` +
                "Correct the config key hosts if an address leads to another machine. " +
                `npm run hosts -- status --stack ${stack} shows the commands that correct the swarm, ` +
                `npm run hosts -- join --stack ${stack} takes a host in again that has left it. Then run this command again.`,
        );
    }
}

/** Networks of the stack that another one has there under the same name. An interrupted update may have been creating one. */
async function otherNetworks({ engines }: StackTarget, { resources, pending }: StackState): Promise<string[]> {
    const networks = ({ type }: { type: string }) => type === DOCKER_TYPES.network;
    const begun = pending.map(({ resource }) => resource).filter(networks);
    const lists = await Promise.all(
        engines.map(async (engine) => {
            const there = await engine.docker.listNetworks();
            return resources
                .filter((resource) => networks(resource) && isOn(engine, resource))
                .filter((resource) => !begun.some((other) => nameOf(other) === nameOf(resource)))
                .filter((resource) => {
                    const alike = there.filter(({ Name: name }) => name === nameOf(resource));
                    return alike.length > 0 && alike.every(({ Id: id }) => id !== resource.id);
                })
                .map((resource) =>
                    onHost(engine.name, `the network ${nameOf(resource)} there isn't that of this stack`),
                );
        }),
    );
    return lists.flat();
}
