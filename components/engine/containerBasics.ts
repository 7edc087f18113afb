import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { LABELS } from "../naming/labels";

/** Time between a container's stop signal and its kill, in seconds: longer than the 10 s that RustFS drains for. */
export const STOP_SECONDS = 30;

/** Settings of every container of the components. */
export interface ContainerBasics {
    logDriver: string;
    logOpts: { [name: string]: string };
    securityOpts: string[];
    stopTimeout: number;
    destroyGraceSeconds: number;
}

/** Log size limits, no new privileges, time to stop. Each container sets its own capabilities and gives the reasons. */
export const containerBasics: ContainerBasics = {
    logDriver: "json-file",
    logOpts: { "max-size": "10m", "max-file": "3" },
    securityOpts: ["no-new-privileges:true"],
    stopTimeout: STOP_SECONDS,
    destroyGraceSeconds: STOP_SECONDS,
};

/**
 * Inputs to which a daemon adds its own settings (`log-opts` and `default-ulimits` in daemon.json). A refresh would report
 * these as changes. For `ignoreChanges`; a change by this library changes the digest of all inputs, and so still replaces
 * the container.
 */
export const DAEMON_SETTINGS = ["logOpts", "ulimits"];

/** Limit of open files of a container, used if none is configured. The engine refuses a limit above its own. */
export const DEFAULT_OPEN_FILES = 20000;

/** The limit of open files in the Docker provider's format. */
export function openFilesLimit(openFiles = DEFAULT_OPEN_FILES): { name: string; soft: number; hard: number }[] {
    return [{ name: "nofile", soft: openFiles, hard: openFiles }];
}

/** Names and values of labels. Other resources may provide them. */
export type Labels = pulumi.Input<{ [name: string]: pulumi.Input<string> }>;

/** The labels of all maps. Of two with the same name, the later one counts. */
export function allLabels(...maps: (Labels | undefined)[]): pulumi.Output<{ [name: string]: string }> {
    return pulumi
        .all(maps.map((map) => pulumi.output(map ?? {})))
        .apply((known) => Object.assign({}, ...known) as { [name: string]: string });
}

/** Labels in the Docker provider's format, in a fixed order. */
export function labelList(labels: Labels): pulumi.Output<{ label: string; value: string }[]> {
    return allLabels(labels).apply((known) =>
        Object.entries(known)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([label, value]) => ({ label, value })),
    );
}

/**
 * Environment variables in the Docker provider's format, in a fixed order, so that a different order of the args changes
 * nothing.
 */
export function environmentList(environment: { [name: string]: pulumi.Input<string> }): pulumi.Output<string>[] {
    return Object.entries(environment)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => pulumi.interpolate`${name}=${value}`);
}

/** A digest of a container's arguments, without the uploaded files. */
export function inputsDigest(args: docker.ContainerArgs): pulumi.Output<string> {
    const watched = Object.entries(args).filter(([name]) => name !== "uploads");
    return pulumi
        .output(Object.fromEntries(watched) as pulumi.Unwrap<object>)
        .apply((inputs) => createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16));
}

/**
 * The arguments of a container with a label that changes whenever one of them changes. The provider records a changed
 * health check, tmpfs or CPU quota as applied without sending it to the engine. A changed label replaces the container.
 */
export function replacedOnAnyChange(args: docker.ContainerArgs): docker.ContainerArgs {
    return {
        ...args,
        labels: pulumi
            .all([pulumi.output(args.labels), inputsDigest(args)])
            .apply(([list, value]) => [...(list ?? []), { label: LABELS.inputs, value }]),
    };
}
