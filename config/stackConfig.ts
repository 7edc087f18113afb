import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "../components";
import { configuredEngine } from "../components/docker/providerHost";
import { deploymentHosts } from "../components/docker/hosts";
import { describeProblems, withMessageOnly, withoutValues } from "../components/checks/problem";
import { checkParts, demandsOfParts, partsOf } from "../components/settings/deploymentSettings";
import { checkEngine, withLaterDemands } from "../components/requirements/run";
import type { CheckedOptions } from "../components/settings/context";
import { EngineSnapshot } from "../components/requirements/engineCache";
import { checkEncryptedKeys, encryptedValues, keptSecret, withSecrets } from "./encryptedKeys";
import { readArgs } from "./schemaReader";

/** Name of the program's component. */
export const STORE_COMPONENT = "store";

/**
 * Reads and checks a stack's config, and checks with the engine whether it can be deployed. Returns the args and the
 * options of the store, which say that the engine has been checked.
 *
 * @throws {pulumi.RunError} before anything is created; it lists all problems.
 */
export async function readStackConfig(config: pulumi.Config): Promise<{ args: ObjectStoreArgs; opts: CheckedOptions }> {
    const read = readArgs(config, "ObjectStoreArgs");
    const args: ObjectStoreArgs = { storeName: `${pulumi.getProject()}-${pulumi.getStack()}`, ...read.args };
    const parts = partsOf(STORE_COMPONENT, args);
    const engineSnapshot = new EngineSnapshot(deploymentHosts(args, configuredEngine()));
    const ofArgs = [
        ...checkParts(parts),
        ...(parts.problems.length > 0
            ? []
            : await checkEngine(await withLaterDemands(demandsOfParts(parts)), engineSnapshot)),
    ];
    // Stores whose config can't be read aren't removed ones.
    const unread = read.problems.some(({ propertyPath }) => propertyPath.startsWith("additionalStores"));
    const problems = withoutValues(
        [
            ...read.problems,
            ...checkEncryptedKeys(config),
            ...ofArgs.filter(({ propertyPath }) => !unread || propertyPath !== "additionalStores"),
        ],
        encryptedValues(config),
    );
    if (problems.length > 0) {
        const stack = pulumi.getStack();
        throw withMessageOnly(
            new pulumi.RunError(
                `the config of stack ${stack} is refused, nothing was changed:\n${describeProblems(problems)}`,
            ),
        );
    }
    return { args: withSecrets(keptSecret(args, config), { ref: "ObjectStoreArgs" }), opts: { engineSnapshot } };
}
