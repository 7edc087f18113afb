import * as pulumi from "@pulumi/pulumi";
import { HaproxyFrontEnd, StorageCluster } from "./components";
import { CLUSTER_COMPONENT, readStackConfig } from "./config/stackConfig";

/** The program: a store with its front end, as configured in stack config. */
async function program(): Promise<pulumi.Inputs> {
    const settings = await readStackConfig(new pulumi.Config());

    const store = new StorageCluster(CLUSTER_COMPONENT, settings.cluster);
    const frontEnd = new HaproxyFrontEnd("front-end", { ...settings.frontEnd, cluster: store.endpoints });

    return {
        s3Endpoint: frontEnd.s3Endpoint,
        consoleUrl: frontEnd.consoleUrl,
        accessKey: store.accessKey,
        secretKey: store.secretKey,
        caCertificate: frontEnd.caCertificate,
        certificateNotAfter: frontEnd.certificateNotAfter,
        nodeNames: store.nodeNames,
        volumeNames: store.volumeNames,
    };
}

export = program;
