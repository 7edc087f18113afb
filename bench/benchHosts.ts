import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreHost } from "../components";
import { systemClock } from "../components/docker/poll";
import type { DeploymentConfig } from "../test/e2e/harness/deployment";
import { testImages } from "../test/e2e/harness/testRun";
import { membershipPlan } from "../tools/hosts/membershipPlan";
import { hostEngine } from "../tools/stack/hostConnection";
import { carryOut, readSwarms } from "../tools/hosts/swarmMembership";
import { StepError } from "../tools/cli/step";
import { VirtualHosts } from "../tools/playground/virtualHosts";

/** A node network has addresses for as many proxies. */
const MOST_FRONT_ENDS = 6;

/** Virtual hosts that form a swarm and have MinIO's and HAProxy's images, besides others. */
export async function makeBenchHosts(count: number, images: string[] = []): Promise<VirtualHosts> {
    if (process.getuid?.() !== 0) {
        throw new StepError("this part needs virtual hosts, which only root can make: run it as root");
    }
    const folder = mkdtempSync(join(tmpdir(), "bench-hosts-"));
    const hosts = await VirtualHosts.create({ count, prefix: `bench-${randomBytes(3).toString("hex")}`, folder });
    try {
        await hosts.load([testImages().haproxy, testImages().minio, ...images]);
        const plan = membershipPlan(hosts.hosts, await readSwarms(hosts.hosts));
        await carryOut(plan, { engine: hostEngine, print: () => undefined, clock: systemClock });
        return hosts;
    } catch (error) {
        await hosts.remove();
        throw error;
    }
}

/** Stack config of a store over some hosts. One host has the stack to itself, as a stack that names none. */
export function configOver(hosts: readonly StoreHost[], nodes: number): DeploymentConfig {
    const [only] = hosts;
    return {
        nodeCount: String(nodes),
        publishAddress: "0.0.0.0",
        // Nothing is protected, so that a stack can be removed whole.
        retainData: "false",
        ...(hosts.length === 1
            ? { "docker:host": only?.dockerHost ?? "" }
            : {
                  hosts: JSON.stringify(hosts),
                  frontEndHosts: JSON.stringify(hosts.slice(0, MOST_FRONT_ENDS).map(({ name }) => name)),
                  // A kernel may lack ESP.
                  unencryptedOverlay: "true",
                  allowSinglePointOfFailure: "true",
              }),
    };
}
