import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "../components";
import { configuredEngine } from "../components/docker/providerHost";
import { hostsOf } from "../components/docker/hosts";
import { describeProblems, withMessageOnly, withoutValues } from "../components/checks/problem";
import { checkDeployment, requirementsOfDeployment } from "../components/deployment";
import { partsOf } from "../components/settings/deploymentSettings";
import { unmetNow } from "../components/requirements/requireAll";
import type { CheckedOptions } from "../components/settings/context";
import { EngineCache } from "../components/requirements/engineCache";
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
    const { problems: ofParts, planned } = checkDeployment(args, partsOf(STORE_COMPONENT, args));
    const engines = new EngineCache(hostsOf(args, configuredEngine()));
    const ofEngines =
        planned.clusters.length === 0 ? [] : await unmetNow(requirementsOfDeployment(planned, args.hosts), engines);
    const ofArgs = [...ofParts, ...ofEngines];
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
    return { args: withSecrets(keptSecret(args, config), { ref: "ObjectStoreArgs" }), opts: { engines } };
}
