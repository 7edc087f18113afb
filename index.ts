import * as pulumi from "@pulumi/pulumi";
import * as debuggable from "@pulumi/pulumi/runtime/debuggable";
import { ObjectStore, type AdditionalStoreOutputs } from "./components";
import { omitDebugMessages, omitPromiseTraces } from "./components/pulumi/internals";
import { ignoreLostOutput } from "./config/lostOutput";
import { readStackConfig, STORE_COMPONENT } from "./config/stackConfig";

/** The program: a store, or several behind one proxy, as configured in stack config. */
async function program(): Promise<pulumi.Inputs> {
    const { args, opts } = await readStackConfig(new pulumi.Config());
    const store = new ObjectStore(STORE_COMPONENT, args, opts);
    return {
        s3Endpoint: store.s3Endpoint,
        consoleUrl: store.consoleUrl,
        accessKey: store.accessKey,
        secretKey: store.secretKey,
        // Only where stack config has some: other stacks keep their outputs.
        ...(args.accessKeys === undefined ? {} : { accessKeys: store.accessKeys }),
        ...(args.additionalStores === undefined
            ? {}
            : {
                  additionalStores: Object.fromEntries(
                      args.additionalStores.map(({ name }) => [
                          name,
                          outputsOf(store.additionalStores.apply((all) => all[name] as AdditionalStoreOutputs)),
                      ]),
                  ),
              }),
        caCertificate: store.caCertificate,
        certificateNotAfter: store.certificateNotAfter,
        nodeNames: store.nodeNames,
        volumeNames: store.volumeNames,
    };
}

/** The outputs of an additional store, of which only the keys are secrets. */
function outputsOf(store: pulumi.Output<AdditionalStoreOutputs>): pulumi.Inputs {
    const open = pulumi.unsecret(store);
    return {
        s3Endpoint: open.s3Endpoint,
        consoleUrl: open.consoleUrl,
        accessKey: store.accessKey,
        secretKey: store.secretKey,
        accessKeys: store.accessKeys,
        nodeNames: open.nodeNames,
        volumeNames: open.volumeNames,
    };
}

omitPromiseTraces(debuggable);
omitDebugMessages(pulumi.log);
ignoreLostOutput([process.stdout, process.stderr]);

export = program;
