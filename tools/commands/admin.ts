import { existsSync } from "node:fs";
import { clientConfiguration, type RootKeys } from "../../components/client/clientContainer";
import { findTarget } from "../../components/client/storeTarget";
import { answeringEngine } from "../../components/engine/engineConnection";
import { runClient } from "../admin/attachedClient";
import { otherStores } from "../admin/otherStores";
import { hostEngine } from "../stack/hostConnection";
import { hostsOfStack } from "../stack/stackHosts";
import { adminClientImage } from "../images/adminClient";
import { adoptStackEngine } from "../stack/namedEngine";
import { main, sayOnStandardError, StepError } from "../cli/step";
import type { ExportedState } from "../pulumi/stackState";
import { CLI } from "../pulumi/toolchainParts";
import { askPulumi, findWorkspace, onStack, projectName, readConfig, selectedStack } from "../pulumi/workspace";
import { expectedDeployment } from "../status/expected";

// npm run --silent admin -- [--stack NAME] [--store NAME] ARGS: runs MinIO's client `mc` with these arguments beside the
// store, or beside the named one of its additional stores, as its root user.
void main(async () => {
    sayOnStandardError();
    const { stack: named, store, args } = readArguments(process.argv.slice(2));
    const others = otherStores(args, process.env);
    if (!existsSync(CLI)) {
        throw new StepError("Pulumi isn't there, so nothing was deployed from this machine: npm run up installs it");
    }
    const workspace = findWorkspace();
    const stack = named ?? (await selectedStack(workspace));
    if (stack === undefined) {
        throw new StepError("no stack is selected: npm run up makes one, or name one by --stack NAME");
    }
    const { deployment } = JSON.parse(
        await askPulumi(workspace, ["stack", "export", "--stack", stack]),
    ) as ExportedState;
    const { nodes } = expectedDeployment(deployment.resources ?? []);
    if (nodes.length === 0) {
        throw new StepError(`the stack ${stack} of ${projectName()} has no node: npm run up deploys it`);
    }
    const outputs = JSON.parse(
        await askPulumi(workspace, ["stack", "output", "--json", "--show-secrets", "--stack", stack]),
    ) as StackOutputs;
    const { accessKey, secretKey, nodeNames } = storeNamed(store, stack, outputs);
    if (accessKey === undefined || secretKey === undefined) {
        throw new StepError(`the stack ${stack} has no credentials yet: npm run up completes its deployment`);
    }
    const config = await readConfig(onStack(workspace, stack));
    const secret = (key: string) => askPulumi(workspace, ["config", "get", key, "--stack", stack]);
    const hosts = await hostsOfStack(config, secret, stack);
    if (hosts === undefined) {
        await adoptStackEngine(config, secret, workspace.env);
    }
    const engines = hosts?.map((host) => () => hostEngine(host)) ?? [() => answeringEngine({})];
    const target = await findTarget(engines, () => Promise.resolve(nodeNames ?? nodes));
    const image = await adminClientImage(target.docker);
    const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
    const configuration = clientConfiguration(target, { accessKey, secretKey }, others);
    return runClient(target, configuration, image, args, streams);
}).finally(() => {
    // An open terminal would keep this program running.
    process.stdin.destroy();
});

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

/** The stack and the store, if the first arguments name them, and the client's own arguments. */
function readArguments(given: string[]): { stack?: string; store?: string; args: string[] } {
    const named: { stack?: string; store?: string } = {};
    let args = given;
    for (let [option, value] = args; option === "--stack" || option === "--store"; [option, value] = args) {
        const kind = option === "--stack" ? "stack" : "store";
        if (value === undefined) {
            throw new StepError(`${option} needs the name of a ${kind}`);
        }
        named[kind] = value;
        args = args.slice(2);
    }
    if (args.length === 0) {
        throw new StepError(
            "give the client's arguments, with `store` as the store's name: npm run admin -- ls store, npm run admin -- --help",
        );
    }
    return { ...named, args };
}
