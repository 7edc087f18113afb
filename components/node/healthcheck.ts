import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import { healthScript } from "./storeProcess";

/** Interval of the health checks of a node that starts, where the engine has one: some stores are ready within a second. */
const START_INTERVAL = "1s";

/** The health check has the same interval at all times. */
const NO_START_INTERVAL = "0s";

/** The health check of a container. */
type Healthcheck = docker.types.input.ContainerHealthcheck;

/**
 * The health check of a node in the forms in which its container may exist, the newest first. The numbers are those of the
 * service contract, section 1, rule 3, which has no interval of its own for the start period.
 *
 * @param startInterval Whether the engine knows one.
 */
export function nodeHealthchecks(
    profile: ServiceProfile,
    clustered: boolean,
    startInterval: pulumi.Output<boolean>,
): [Healthcheck, ...Healthcheck[]] {
    const check = {
        tests: ["CMD", "/bin/sh", "-c", healthScript(profile, clustered)],
        interval: "10s",
        timeout: "5s",
        retries: 5,
        startPeriod: "30s",
    };
    return [
        { ...check, startInterval: startInterval.apply((known) => (known ? START_INTERVAL : NO_START_INTERVAL)) },
        // Of a node that was created by an engine without start interval, or with one.
        { ...check, startInterval: NO_START_INTERVAL },
        { ...check, startInterval: START_INTERVAL },
    ];
}
