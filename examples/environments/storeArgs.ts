import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "pulumi-docker-object-store";

/** What all environments have in common, with what the selected stack's file says of its own. */
export function storeArgs(): ObjectStoreArgs {
    const config = new pulumi.Config();
    const environment = pulumi.getStack();
    return {
        storeName: `${pulumi.getProject()}-${environment}`,
        labels: { environment },
        profile: config.get("profile"),
        image: config.get("image"),
        haproxyImage: config.get("haproxyImage"),
        s3Host: config.require("s3Host"),
        consoleHost: config.require("consoleHost"),
        nodeCount: config.getNumber("nodeCount"),
        drivePaths: config.getObject<string[][]>("drivePaths"),
        allowDrivesOnOneDevice: config.getBoolean("allowDrivesOnOneDevice"),
        httpPort: config.getNumber("httpPort"),
        httpsPort: config.getNumber("httpsPort"),
        publishAddress: config.get("publishAddress"),
        retainData: config.getBoolean("retainData"),
    };
}
