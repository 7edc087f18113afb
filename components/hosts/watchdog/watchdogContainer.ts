import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import { containerBasics } from "../../docker/containerBasics";
import { environmentList, labelList, type Labels } from "../../docker/containerArgs";
import { script } from "../../docker/script";

/** Path of the engine's socket in a watchdog's container. */
const WATCHED_SOCKET = "/engine.sock";

/** Folder of a watchdog's heartbeat. */
const HEARTBEAT_FOLDER = "/heartbeat";

/** Seconds between two rounds of a watchdog. */
const ROUND_SECONDS = 10;

/** Its user: the owner of the engine's socket. */
const ROOT = "0:0";

/** A watchdog of a host. */
export interface HostWatchdogArgs {
    /** Name of the container. */
    containerName: string;
    /** Id of an image with Perl. */
    image: pulumi.Input<string>;
    /** Path of the engine's socket on the host. */
    socketPath: string;
    /** Labels of the containers that it watches, as `NAME=VALUE`; each container has one of them. */
    watched: readonly string[];
    /** Labels of its own container. */
    labels: Labels;
}

/**
 * Arguments of a watchdog's container. It starts the containers of a deployment that the engine of their host couldn't start
 * and doesn't try to start again. That happens to containers on an overlay network while the swarm has no quorum of managers.
 * It also starts those that the engine ends when it starts after it was killed, and then takes for stopped explicitly. That would
 * happen to the watchdog too, so its own restart policy is another one.
 *
 * It needs the engine's socket, and so has the rights of root on the host. Nothing can reach it: it has no network and no
 * port, and reads nothing but the engine's answers.
 */
export function hostWatchdog(args: HostWatchdogArgs): docker.ContainerArgs {
    return {
        ...containerBasics,
        name: args.containerName,
        image: args.image,
        entrypoints: ["perl", "-e"],
        command: [script(__dirname, "watchHost.pl"), ...args.watched],
        user: ROOT,
        restart: "always",
        networkMode: "none",
        readOnly: true,
        capabilities: { drops: ["ALL"] },
        envs: environmentList({
            ENGINE_SOCKET: WATCHED_SOCKET,
            HEARTBEAT: `${HEARTBEAT_FOLDER}/round`,
            ROUND_SECONDS: String(ROUND_SECONDS),
        }),
        healthcheck: {
            tests: ["CMD", "perl", "-e", script(__dirname, "checkWatchdog.pl")],
            interval: "30s",
            timeout: "5s",
            retries: 1,
            startPeriod: "5m0s",
            startInterval: "0s",
        },
        labels: labelList(args.labels),
        mounts: [{ type: "bind", source: args.socketPath, target: WATCHED_SOCKET }],
        tmpfs: { [HEARTBEAT_FOLDER]: "size=64k,mode=0700" },
    };
}
