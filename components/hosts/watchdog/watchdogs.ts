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
import { resourcesOn, type Context } from "../../settings/context";
import type { Host } from "../../docker/hosts";
import { awaitedByProgram } from "../../pulumi/awaitedByProgram";

/** Creates the watchdogs of a store's hosts, with the image of its proxies, which has Perl. */
export function createWatchdogs(
    name: string,
    { watchdogs }: ObjectStoreParts,
    context: Context,
    parent: pulumi.Resource,
): void {
    watchdogs.forEach((watchdog, index) => {
        const host = context.hosts.find((one) => one.name === watchdog.host);
        if (host !== undefined) {
            createWatchdog(`${name}-watchdog-${watchdog.host}`, watchdog, { context, parent, host, place: index });
        }
    });
}

function createWatchdog(
    name: string,
    { haproxyImage, storeName, labels, ...args }: WatchdogPart,
    { context, parent, host, place }: { context: Context; parent: pulumi.Resource; host: Host; place: number },
): void {
    const { allowed: dependsOn, engines } = context;
    const options: pulumi.CustomResourceOptions = { ...resourcesOn(host), parent, dependsOn };
    const isAway = host.away === true;
    const connect = async () => {
        const engine = await engines.hosts.get(host.name)?.engine();
        if (engine === undefined) {
            throw new Error(`there is no host ${host.name}`);
        }
        return engine;
    };
    const reference = haproxyImage ?? DEFAULT_HAPROXY_IMAGE;
    const image = remoteImage(`${name}-image`, reference, isAway ? undefined : connect, options);
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
    const accepted = isAway ? Promise.resolve() : probe.passed();
    const ready = pulumi.all([dependsOn, image.imageId]).apply(async ([resources]) => {
        await accepted.catch((error: unknown) => {
            throw componentError(parent, error);
        });
        return [...resources, image];
    });
    new docker.Container(name, replacedOnAnyChange(container), {
        ...options,
        dependsOn: awaitedByProgram(ready),
        deleteBeforeReplace: true,
        ignoreChanges: DAEMON_SETTINGS,
    });
}
