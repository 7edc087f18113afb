import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { LABELS } from "../naming/labels";

/** Seconds between a container's stop signal and its end by force: longer than the 10 s that RustFS drains for. */
export const STOP_SECONDS = 30;

/** What every container of the components has. */
export interface ContainerBasics {
    logDriver: string;
    logOpts: { [name: string]: string };
    securityOpts: string[];
    stopTimeout: number;
    destroyGraceSeconds: number;
}

/** Bounded logs, no new privileges, time to stop. Capabilities are named by each container, with its reasons. */
export const containerBasics: ContainerBasics = {
    logDriver: "json-file",
    logOpts: { "max-size": "10m", "max-file": "3" },
    securityOpts: ["no-new-privileges:true"],
    stopTimeout: STOP_SECONDS,
    destroyGraceSeconds: STOP_SECONDS,
};

/**
 * Inputs that a daemon adds settings of its own to (`log-opts` and `default-ulimits` in daemon.json), which a refresh would
 * take for changes. For `ignoreChanges`; a change of ours is seen by the digest of all inputs, and replaces the container.
 */
export const DAEMON_SETTINGS = ["logOpts", "ulimits"];

/** Open files of a container where none are configured. The engine refuses more than it may open itself. */
export const DEFAULT_OPEN_FILES = 20000;

/** The limit of open files as the Docker provider takes it. */
export function openFilesLimit(openFiles = DEFAULT_OPEN_FILES): { name: string; soft: number; hard: number }[] {
    return [{ name: "nofile", soft: openFiles, hard: openFiles }];
}

/** Labels as the Docker provider takes them, in one order. */
export function labelList(labels: {
    [name: string]: pulumi.Input<string>;
}): { label: string; value: pulumi.Input<string> }[] {
    return Object.entries(labels)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([label, value]) => ({ label, value }));
}

/** Environment variables as the Docker provider takes them, in one order, so that another order of the args changes nothing. */
export function environmentList(environment: { [name: string]: pulumi.Input<string> }): pulumi.Output<string>[] {
    return Object.entries(environment)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => pulumi.interpolate`${name}=${value}`);
}

/** A digest of a container's arguments, without what is uploaded into it. */
export function inputsDigest(args: docker.ContainerArgs): pulumi.Output<string> {
    const watched = Object.entries(args).filter(([name]) => name !== "uploads");
    return pulumi
        .output(Object.fromEntries(watched) as pulumi.Unwrap<object>)
        .apply((inputs) => createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16));
}

/**
 * The arguments of a container with a label that changes whenever one of them does. The provider takes a changed
 * health check, tmpfs or CPU quota for done without telling the engine; a changed label replaces the container.
 */
export function replacedOnAnyChange(args: docker.ContainerArgs): docker.ContainerArgs {
    return {
        ...args,
        labels: pulumi
            .all([pulumi.output(args.labels), inputsDigest(args)])
            .apply(([list, value]) => [...(list ?? []), { label: LABELS.inputs, value }]),
    };
}
