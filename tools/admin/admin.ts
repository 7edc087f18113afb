import { clientConfiguration, type RootKeys } from "../../components/storeClient/clientContainer";
import { findTarget } from "../../components/storeClient/storeTarget";
import { answeringEngine } from "../../components/docker/engineConnection";
import { runClient } from "./attachedClient";
import { otherStores } from "./otherStores";
import { findDeployedStack } from "../stack/deployedStack";
import { hostEngine } from "../stack/hostConnection";
import { adminClientImage } from "../images/adminClient";
import { sayOnStandardError, StepError } from "../cli/step";

/** Options of `npm run admin`. */
export interface AdminOptions {
    stack?: string;
    store?: string;
}

/** Runs MinIO's client `mc` beside the store, or beside one of its additional stores, as its root user. Returns its exit code. */
export async function admin({ stack: named, store }: AdminOptions, args: string[]): Promise<number> {
    sayOnStandardError();
    try {
        return await runBeside(named, store, args);
    } finally {
        // An open terminal would keep this program running.
        process.stdin.destroy();
    }
}

async function runBeside(named: string | undefined, store: string | undefined, args: string[]): Promise<number> {
    const others = otherStores(args, process.env);
    const { name, expected, hosts, outputs } = await findDeployedStack(named);
    const { accessKey, secretKey, nodeNames } = storeNamed(store, name, await outputs());
    if (accessKey === undefined || secretKey === undefined) {
        throw new StepError(`the stack ${name} has no credentials yet: npm run up completes its deployment`);
    }
    const engines = hosts?.map((host) => () => hostEngine(host)) ?? [() => answeringEngine({})];
    const target = await findTarget(engines, () => Promise.resolve(nodeNames ?? expected.nodes));
    const image = await adminClientImage(target.docker);
    const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
    const configuration = clientConfiguration(target, { accessKey, secretKey }, others);
    return runClient(target, configuration, image, args, streams);
}

/** The outputs of a stack's store that the client needs. */
type StoreOutputs = Partial<RootKeys> & { nodeNames?: string[] };

type StackOutputs = StoreOutputs & { additionalStores?: { [name: string]: StoreOutputs } };

/** The outputs of the additional store of this name; those of the stack's own store without a name. */
function storeNamed(name: string | undefined, stack: string, outputs: StackOutputs): StoreOutputs {
    const { additionalStores = {} } = outputs;
    if (name === undefined) {
        return outputs;
    }
    const store = Object.hasOwn(additionalStores, name) ? additionalStores[name] : undefined;
    if (store === undefined) {
        const known = Object.keys(additionalStores);
        throw new StepError(
            `--store "${name}" is not one of the stack ${stack}: ` +
                (known.length === 0 ? "it has no additional stores" : `give one of ${known.join(", ")}`) +
                ", or leave it out for the stack's own store",
        );
    }
    return store;
}
