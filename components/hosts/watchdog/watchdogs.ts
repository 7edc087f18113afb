import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { DAEMON_SETTINGS } from "../../docker/containerBasics";
import { allLabels, replacedOnAnyChange } from "../../docker/containerArgs";
import { remoteImage } from "../../docker/remoteImage";
import { hostWatchdog } from "./watchdogContainer";
import { DEFAULT_HAPROXY_IMAGE } from "../../haproxyConfig/image";
import { componentError } from "../../checks/refusal";
import { LABELS } from "../../naming/labels";
import type { ObjectStoreParts, WatchdogPart } from "../../settings/deploymentSettings";
import { ContainerProbe } from "../../requirements/containerTrialStart";
import { LEFT_AS_THEY_ARE, type CheckedOptions } from "../../settings/context";
import { awaitedByProgram } from "../../pulumi/awaitedByProgram";

/** Creates the watchdogs of a store's hosts, with the image of its proxies, which has Perl. */
export function createWatchdogs(
    name: string,
    { watchdogs, unreachableHosts }: ObjectStoreParts,
    opts: CheckedOptions & { parent: pulumi.Resource },
): void {
    watchdogs.forEach((watchdog, place) =>
        createWatchdog(`${name}-watchdog-${watchdog.host}`, watchdog, place, {
            ...opts,
            away: unreachableHosts.includes(watchdog.host),
        }),
    );
}

function createWatchdog(
    name: string,
    { host, haproxyImage, storeName, labels, ...args }: WatchdogPart,
    place: number,
    { parent, dependsOn, away, engineSnapshot, hostProviders }: CheckedOptions & { parent: pulumi.Resource },
): void {
    const options: pulumi.CustomResourceOptions = {
        ...(away === true ? LEFT_AS_THEY_ARE : {}),
        parent,
        provider: hostProviders?.get(host),
        dependsOn,
    };
    const connect = async () => {
        const engine = await engineSnapshot?.hosts.get(host)?.engine();
        if (engine === undefined) {
            throw new Error(`there is no host ${host}`);
        }
        return engine;
    };
    const reference = haproxyImage ?? DEFAULT_HAPROXY_IMAGE;
    const image = remoteImage(`${name}-image`, reference, away === true ? undefined : connect, options);
    const container = hostWatchdog({
        ...args,
        image: image.imageId,
        labels: allLabels(labels, {
            [LABELS.cluster]: storeName,
            [LABELS.watchdog]: storeName,
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        }),
    });
    const probe = new ContainerProbe("ObjectStore", storeName, LABELS.watchdog, connect);
    probe.add(args.containerName, container, { mounts: `hosts[${place}].socketPath` });
    const accepted = away === true ? Promise.resolve() : probe.passed();
    const ready = pulumi.all([pulumi.output(dependsOn), image.imageId]).apply(async ([resources = []]) => {
        await accepted.catch((error: unknown) => {
            throw componentError(parent, error);
        });
        return [resources, image].flat();
    });
    new docker.Container(name, replacedOnAnyChange(container), {
        ...options,
        dependsOn: awaitedByProgram(ready),
        deleteBeforeReplace: true,
        ignoreChanges: DAEMON_SETTINGS,
    });
}
