import * as pulumi from "@pulumi/pulumi";
import { ifKnown } from "../checks/plain";
import type { Problem } from "../checks/problem";
import { refuse } from "../checks/refusal";
import { onHost } from "../docker/hosts";
import { awaitedByProgram } from "../pulumi/awaitedByProgram";
import { settled } from "../pulumi/settled";
import type { EngineCache } from "./engineCache";
import type { LaterRequirements, Requirement, Requirements } from "./requirement";

/**
 * Asks for all requirements of a component.
 *
 * @returns For `dependsOn` of each of its children: the component's own dependencies, once everything that is required holds. Values
 * that aren't known in a preview are checked in the update.
 * @throws {pulumi.InputPropertiesError} with every problem, so that no child is created.
 */
export function requireAll(
    component: string,
    requirements: Requirements,
    engines: EngineCache,
    dependsOn: pulumi.ResourceOptions["dependsOn"] = [],
): pulumi.Output<pulumi.Resource[]> {
    const before = pulumi.output(dependsOn).apply((resources) => [resources].flat());
    const { now, later } = partsOf(requirements);
    // An engine whose host is unknown isn't asked.
    const asked = pulumi.all([before, engines.dockerHosts]).apply(async ([resources]) => {
        refuse(component, await unmet({ ...requirements, then: now }, engines));
        return resources;
    });
    const allowed = pulumi
        .all([pulumi.all(later.map(({ known }) => ifKnown(known))), asked])
        .apply(async ([known, resources]) => {
            refuse(
                component,
                await problemsOf(
                    known.flatMap((ofOne) => ofOne ?? []),
                    engines,
                ),
            );
            return resources;
        });
    return awaitedByProgram(allowed);
}

/** Problems with the engines of requirements all of whose values are known. */
export async function unmetNow(requirements: Requirements, engines: EngineCache): Promise<Problem[]> {
    const { plain, later } = partsOf(requirements);
    const known = await Promise.all(later.map((one) => settled(one.known)));
    return unmet({ ...requirements, then: [...plain, ...known.flat()] }, engines);
}

function partsOf({ then }: Requirements): {
    plain: Requirement[];
    later: LaterRequirements[];
    /** What can be asked before values of other resources are known. */
    now: Requirement[];
} {
    const plain = then.filter((one) => typeof one === "function");
    const later = then.filter((one) => typeof one !== "function");
    return { plain, later, now: [...plain, ...later.flatMap(({ before }) => before)] };
}

/** Problems of the first stage that has any. */
async function unmet(
    { first, then }: { first: readonly Requirement[]; then: readonly Requirement[] },
    engines: EngineCache,
): Promise<Problem[]> {
    for (const stage of [[enginesAnswer], first, then]) {
        const problems = await problemsOf(stage, engines);
        if (problems.length > 0) {
            return problems;
        }
    }
    return [];
}

/** Each problem once: several parts of a deployment may have the same arg. */
async function problemsOf(requirements: readonly Requirement[], engines: EngineCache): Promise<Problem[]> {
    const found = (await Promise.all(requirements.map((requirement) => requirement(engines)))).flat();
    return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** The engine of each host answers, and something can be deployed to it. */
async function enginesAnswer({ hosts, names }: EngineCache): Promise<Problem[]> {
    const problems = await Promise.all(
        [...hosts].map(async ([name, host]): Promise<Problem[]> => {
            const failure = await host.engine().then(
                () => undefined,
                (error: unknown) => error as Error,
            );
            const propertyPath = name === undefined ? "dockerHost" : `hosts[${names.indexOf(name)}].dockerHost`;
            return failure === undefined ? [] : [{ propertyPath, reason: onHost(name, failure.message) }];
        }),
    );
    return problems.flat();
}
