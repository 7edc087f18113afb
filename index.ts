import * as pulumi from "@pulumi/pulumi";
import { ObjectStore } from "./components";
import { ignoreLostOutput } from "./config/lostOutput";
import { omitPromiseTraces } from "./config/promiseTraces";
import { readStackConfig, STORE_COMPONENT } from "./config/stackConfig";

/** The program: a store, as configured in stack config. */
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
        caCertificate: store.caCertificate,
        certificateNotAfter: store.certificateNotAfter,
        nodeNames: store.nodeNames,
        volumeNames: store.volumeNames,
    };
}

omitPromiseTraces();
ignoreLostOutput([process.stdout, process.stderr]);

export = program;
