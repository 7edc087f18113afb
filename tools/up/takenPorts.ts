import { DockerEngine } from "../../components/docker/engine";
import type { PublishedPort } from "../../components/docker/model";
import { addressesMeet } from "../../components/requirements/portChecks";
import { StepError } from "../cli/step";
import type { StackConfig } from "../pulumi/stackConfig";
import { DOCKER_TYPES, type ExportedState, nameOf } from "../pulumi/stackState";
import { askPulumi, type Workspace } from "../pulumi/workspace";
import type { StackTarget } from "../stack/stackEngines";

/** What is asked, to find out whose a port is. */
export interface PortOwners {
    published: () => Promise<PublishedPort[]>;
    /** Names of the stacks of this project. */
    stacks: () => Promise<string[]>;
    /** Names of a stack's containers. */
    containersOf: (stack: string) => Promise<string[]>;
}

/**
 * Refuses ports that another stack of this project publishes. It is named, with the command that removes it. Ports that somebody else has
 * are refused by the program itself.
 *
 * @throws {StepError} before anything is changed.
 */
export async function refuseOtherStacksPorts(
    workspace: Workspace,
    stack: string,
    config: StackConfig,
    { hosts }: StackTarget,
): Promise<void> {
    if (hosts !== undefined) {
        return;
    }
    const ask = async <Answer>(...args: string[]) => JSON.parse(await askPulumi(workspace, args)) as Answer;
    await refusePortsOfOthers(stack, config, {
        published: async () => (await DockerEngine.connect()).publishedPorts(),
        stacks: async () => (await ask<{ name: string }[]>("stack", "ls", "--json")).map(({ name }) => name),
        containersOf: async (other) => {
            const { deployment } = await ask<ExportedState>("stack", "export", "--stack", other);
            return (deployment.resources ?? []).filter(({ type }) => type === DOCKER_TYPES.container).map(nameOf);
        },
    });
}

/** @throws {StepError} as {@link refuseOtherStacksPorts}. */
export async function refusePortsOfOthers(
    stack: string,
    config: (key: string) => string | undefined,
    owners: PortOwners,
): Promise<void> {
    const address = config("publishAddress") ?? "0.0.0.0";
    const wanted = [Number(config("httpPort") ?? 80), Number(config("httpsPort") ?? 443)];
    const own = await owners.containersOf(stack);
    const holders = (await owners.published()).filter(
        (held) => wanted.includes(held.port) && addressesMeet(held.address, address) && !own.includes(held.container),
    );
    if (holders.length === 0) {
        return;
    }
    for (const other of (await owners.stacks()).filter((name) => name !== stack)) {
        const containers = await owners.containersOf(other);
        const theirs = holders.filter(({ container }) => containers.includes(container));
        if (theirs.length > 0) {
            const ports = [...new Set(theirs.map(({ port }) => port))].join(" and ");
            throw new StepError(
                `the stack ${other} publishes port ${ports} on this host already. Remove it first: npm run down -- --stack ${other} ` +
                    `(its data stays). Or give ${stack} other ports (httpPort, httpsPort) or another address (publishAddress). ` +
                    "Nothing was changed.",
            );
        }
    }
}
