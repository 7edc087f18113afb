import * as pulumi from "@pulumi/pulumi";

/** A resource in a stack's state, as Pulumi's engine lists it. */
interface StateResource {
    type?: string;
    outputs?: { name?: unknown };
}

/**
 * Names of the Docker volumes that the stack's state has for the nodes of a cluster component, including those that it
 * created under a former stack name. Undefined if the state can't be read.
 */
export async function volumesInState(componentName: string): Promise<string[] | undefined> {
    const state = await readState();
    return state && volumesOf(state, componentName);
}

/** @param state Resources by URN, as in `urn:pulumi:prod::project::parent$type::store-node1-drive1`. */
export function volumesOf(state: { [urn: string]: StateResource }, componentName: string): string[] {
    return Object.entries(state).flatMap(([urn, { type, outputs }]) => {
        const isNodes = urn.split("::").at(-1)?.startsWith(`${componentName}-node`) === true;
        const name = outputs?.name;
        return type === "docker:index/volume:Volume" && isNodes && typeof name === "string" ? [name] : [];
    });
}

/** Whether the stack's state has a Docker container of that name. Undefined if the state can't be read. */
export async function isContainerInState(name: string): Promise<boolean | undefined> {
    const state = await readState();
    return state && hasContainer(state, name);
}

/** @param state Resources by URN. */
export function hasContainer(state: { [urn: string]: StateResource }, name: string): boolean {
    return Object.values(state).some(
        ({ type, outputs }) => type === "docker:index/container:Container" && outputs?.name === name,
    );
}

async function readState(): Promise<{ [urn: string]: StateResource } | undefined> {
    const stack = pulumi.getStack();
    const qualified = `${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`;
    // File backends from before projects had namespaces know a stack by its name alone.
    for (const stackName of [qualified, stack]) {
        try {
            const answer = (await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName })) as {
                outputs?: { [urn: string]: StateResource };
            };
            return answer.outputs ?? {};
        } catch {
            continue;
        }
    }
    return undefined;
}
