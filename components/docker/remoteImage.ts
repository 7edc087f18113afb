import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { DockerEngine } from "./engine";
import { changesNothing } from "../pulumi/pulumiCommand";
import { warn } from "../checks/warning";
import { settled } from "../pulumi/settled";

/**
 * An image on an engine. An update pulls it with the credentials of `docker login` and from further registries, before the
 * provider would: that knows only `docker:registryAuth`, which counts if this fails.
 *
 * @param connect Connects to the engine. Undefined if it is known not to answer.
 */
export function remoteImage(
    name: string,
    image: pulumi.Input<string>,
    connect: (() => Promise<Pick<DockerEngine, "haveImage">>) | undefined,
    opts: pulumi.CustomResourceOptions,
): docker.RemoteImage {
    const present = pulumi.output(image).apply(async (reference) => {
        if (connect !== undefined && !changesNothing()) {
            try {
                // Not before the checks have passed.
                await settled(pulumi.output(opts.dependsOn ?? []));
                const failure = await (await connect()).haveImage(reference);
                if (failure !== undefined) {
                    warn(opts.parent, failure);
                }
            } catch {
                // Reported by what waits for the same checks, or the same engine.
            }
        }
        return reference;
    });
    return new docker.RemoteImage(name, { name: present, keepLocally: true }, opts);
}
