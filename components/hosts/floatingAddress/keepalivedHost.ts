import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { DAEMON_SETTINGS } from "../../docker/containerBasics";
import { inputsDigest, replacedOnAnyChange, type Labels } from "../../docker/containerArgs";
import { remoteImage } from "../../docker/remoteImage";
import { keepalivedContainer, type FloatingAddress } from "./keepalivedContainer";
import type { AddressHost } from "./keepalivedConfig";

/** Keepalived on one host: its image, and its container. */
export class KeepalivedHost {
    /** Digest of the container's inputs, as in its label. */
    readonly inputs: pulumi.Output<string>;
    private readonly args: docker.ContainerArgs;

    /** @param options Options of the image, and with {@link start} of the container. */
    constructor(
        private readonly name: string,
        containerName: string,
        floating: FloatingAddress,
        host: AddressHost,
        labels: Labels,
        private readonly options: pulumi.CustomResourceOptions,
        connect: Parameters<typeof remoteImage>[2],
    ) {
        const image = remoteImage(`${name}-image`, floating.image, connect, options);
        this.args = keepalivedContainer(containerName, floating, host, { image: image.imageId, labels });
        this.inputs = inputsDigest(this.args);
    }

    /** Creates the container once other resources exist. */
    start(dependsOn: pulumi.Input<pulumi.Resource[]>): docker.Container {
        return new docker.Container(this.name, replacedOnAnyChange(this.args), {
            ...this.options,
            dependsOn,
            deleteBeforeReplace: true,
            ignoreChanges: DAEMON_SETTINGS,
        });
    }
}
