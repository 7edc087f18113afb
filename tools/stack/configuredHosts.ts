import { describeProblems } from "../../components/checks/problem";
import { checkStoreHosts } from "../../components/hosts/placement/hostListChecks";
import type { StoreHost } from "../../components/args/hostArgs";
import { schemaOf } from "../../components/args/schema";
import { schemaFailures } from "../../components/args/schemaFailures";
import { StepError } from "../cli/step";

const KEY = "hosts";

/**
 * The hosts in the config key `hosts` of a stack.
 *
 * @param text Its value, as the CLI shows it: JSON.
 * @param stack Name of the stack, for messages.
 * @throws {StepError} with all problems, if the key isn't set or its value is refused.
 */
export function configuredHosts(text: string | undefined, stack: string): StoreHost[] {
    if (text === undefined) {
        throw new StepError(
            `the stack ${stack} has one host, since its config key ${KEY} isn't set: a swarm is for several`,
        );
    }
    const value = parsed(text);
    const ofShape = schemaFailures(KEY, value, schemaOf("ObjectStoreArgs").properties[KEY] ?? {});
    const problems = ofShape.length > 0 ? ofShape : checkStoreHosts(value as StoreHost[]);
    if (problems.length > 0) {
        throw new StepError(`the config of stack ${stack} is refused:\n${describeProblems(problems)}`);
    }
    return value as StoreHost[];
}

/** A value of any other form than JSON is a text. */
function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}
