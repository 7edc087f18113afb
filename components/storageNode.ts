import { isIPv4 } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { checkContainerLimits } from "./args/containerLimits";
import type { StorageNodeArgs } from "./args/storageNodeArgs";
import { checkImage } from "./checks/imageChecks";
import { under, type Problem } from "./checks/problem";
import { refuse } from "./checks/refusal";
import { dockerHostOf } from "./docker/providerHost";
import { deployNode, NODE_TYPE } from "./node/deployNode";
import { outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { EngineCache } from "./requirements/engineCache";
import { requireAll } from "./requirements/requireAll";
import { checkServiceProfile } from "./store/serviceProfile";

/**
 * One node of a store: a named volume per drive, and a health-checked container on the internal network (service contract,
 * section 1). It publishes no host port.
 *
 * The container runs as the profile's user, without capabilities, on a read-only root file system. Only its drives, `/tmp`
 * and the log directory are writable.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class StorageNode extends pulumi.ComponentResource {
    /** Name of the container, and of the node on the node network. */
    readonly nodeName: pulumi.Output<string>;
    /** Id of the container. It changes with each replacement. */
    readonly containerId: pulumi.Output<string>;
    /** Names of the drives' volumes. */
    readonly volumeNames: pulumi.Output<string[]>;

    constructor(name: string, args: StorageNodeArgs, opts?: pulumi.ComponentResourceOptions) {
        super(NODE_TYPE, name, {}, opts);
        outputsAwaitedByProgram(this);
        refuse("StorageNode", checkStorageNode(args));
        const host = { dockerHost: dockerHostOf(this, args.dockerHost) };
        const engines = new EngineCache([host]);
        const allowed = requireAll("StorageNode", { first: [], then: [] }, engines, opts?.dependsOn);
        const { outputs } = deployNode(this, name, args, { host, engines, allowed });
        this.nodeName = outputs.nodeName;
        this.containerId = outputs.containerId;
        this.volumeNames = outputs.volumeNames;
        this.registerOutputs(outputs);
    }
}

/** Every problem of a node's args that can be found without querying the engine. */
function checkStorageNode(args: StorageNodeArgs): Problem[] {
    const { place, memory, cpus, openFiles } = args;
    return [
        ...under("profile", checkServiceProfile(args.profile)),
        ...(isIPv4(place.address)
            ? []
            : [
                  {
                      propertyPath: "place.address",
                      reason: `"${place.address}" is not an IPv4 address: give one of the node network, such as 10.200.7.2`,
                  },
              ]),
        ...(place.drives.length > 0
            ? []
            : [{ propertyPath: "place.drives", reason: "is empty: a node without a drive would lose what it stores" }]),
        ...place.drives.flatMap(({ mountPath }, drive) =>
            mountPath.startsWith("/data/")
                ? []
                : [
                      {
                          propertyPath: `place.drives[${drive}].mountPath`,
                          reason: `"${mountPath}" is not below /data: give one such as /data/drive${drive + 1}`,
                      },
                  ],
        ),
        ...(typeof args.image === "string" ? checkImage("image", args.image) : []),
        ...checkContainerLimits({ memory, cpus, openFiles }),
    ];
}
