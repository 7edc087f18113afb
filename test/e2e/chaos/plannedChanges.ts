import { tagOf } from "../../../components/store/releases";
import { runPrefix, testImages } from "../harness/testRun";
import { freePorts } from "../harness/freeResources";
import type { ChaosTarget } from "./chaosTarget";
import { STALE_AFTER_A_START, type Disturbance } from "./disturbance";

/** A planned change fails no request, with or without retries, and nothing has to recover afterwards. */
const UNNOTICED = { failedWithRetries: 0, failedWithoutRetries: 0 };

/** Changes the environment of every node. */
export const environmentChanged: Disturbance = {
    name: "pulumi up: another environment",
    run: async ({ deployment }) => {
        await deployment.configure({ environment: JSON.stringify({ TZ: "Europe/Berlin" }) });
        await deployment.up();
    },
    expected: UNNOTICED,
};

/** Changes a limit of every node. */
export const limitChanged: Disturbance = {
    name: "pulumi up: another memory limit",
    run: async ({ deployment }) => {
        await deployment.configure({ memory: "2048" });
        await deployment.up();
    },
    expected: UNNOTICED,
};

/** Restarts every node by `restartedAt`. */
export const restartRequested: Disturbance = {
    name: "pulumi up: restartedAt",
    run: async ({ deployment }) => {
        await deployment.configure({ restartedAt: new Date().toISOString() });
        await deployment.up();
    },
    expected: UNNOTICED,
};

/** Changes the store's image to one whose program is a byte longer. */
export const imageChanged: Disturbance = {
    name: "pulumi up: another image of the store, with another binary",
    run: async (target) => {
        const image = await anotherImage(
            target,
            target.store.config["image"] ?? "",
            `echo >> $(command -v ${target.store.config["profile"]})`,
        );
        await target.deployment.configure({ image });
        await target.deployment.up();
    },
    expected: UNNOTICED,
};

/** Changes a value that must be equal on all nodes: all of them are replaced at once, in an allowed outage. */
export const replacedTogether: Disturbance = {
    name: "pulumi up: a value that all nodes have alike, with allowedChanges [outage]",
    run: async ({ deployment }) => {
        const environment = JSON.stringify({ TZ: "Europe/Berlin", MINIO_API_REQUESTS_MAX: "400" });
        await deployment.configure({ environment, allowedChanges: JSON.stringify(["outage"]) });
        await deployment.up();
    },
    expected: { longestGap: 60 },
};

/** Adds a pool of nodes. Every node has to know all drives, so all nodes are replaced at once, in an outage. */
export const poolAdded: Disturbance = {
    name: "pulumi up: one more pool of four nodes, with allowedChanges [outage]",
    run: async (target) => {
        const { deployment } = target;
        await deployment.unset("nodeCount");
        await deployment.unset("drivesPerNode");
        const pool = { nodeCount: 4, drivesPerNode: 2 };
        await deployment.configure({
            pools: JSON.stringify([pool, pool]),
            allowedChanges: JSON.stringify(["outage"]),
        });
        await deployment.up();
        await target.learnNodes();
    },
    expected: { longestGap: 120 },
};

/** Changes the proxy's configuration. Clients only see another header. */
export const configurationReloaded: Disturbance = {
    name: "pulumi up: another configuration of the proxy, loaded by a reload",
    run: async ({ deployment }) => {
        await deployment.configure({ hstsMaxAge: "300" });
        await deployment.up();
    },
    expected: UNNOTICED,
};

/** Changes the certificate to one of another CA that clients trust as well. */
export const certificateReloaded: Disturbance = {
    name: "pulumi up: another certificate, loaded by a reload",
    run: async ({ deployment, nextCertificate }) => {
        await deployment.configure({ certificate: JSON.stringify({ pem: nextCertificate.pem }) });
        await deployment.up();
    },
    expected: UNNOTICED,
};

/** Changes the image of HAProxy to one with the same program: the proxy's container is replaced. */
export const proxyReplaced: Disturbance = {
    name: "pulumi up: another image of HAProxy",
    run: async (target) => {
        const { haproxy } = testImages();
        await target.deployment.configure({ haproxyImage: await anotherImage(target, haproxy) });
        await target.deployment.up();
    },
    expected: { longestGap: 10 },
};

/** Changes the port for plain HTTP, which also replaces the proxy's container. */
export const portChanged: Disturbance = {
    name: "pulumi up: another port for redirects",
    run: async ({ deployment }) => {
        const [httpPort] = await freePorts();
        await deployment.configure({ httpPort: String(httpPort) });
        await deployment.up();
    },
    expected: { longestGap: 10 },
};

/** Recreates a node whose container was removed. It keeps its address, so nothing has to be reconfigured. */
export const nodeRecreated: Disturbance = {
    name: "a node removed by hand, recreated by pulumi refresh and up",
    run: async (target) => {
        await target.host.docker.getContainer(target.node(2)).remove({ force: true });
        await target.deployment.refresh();
        await target.deployment.up();
    },
    expected: { failedWithRetries: 0, ...STALE_AFTER_A_START },
};

/** Creates an image with the files of another one, changed by a script. It has its own id and name. */
async function anotherImage({ host }: ChaosTarget, reference: string, script?: string): Promise<string> {
    const name = `${runPrefix()}-${reference.replace(/^.*\//, "").replace(/:.*$/, "")}`;
    // Another release wouldn't be rolled out.
    const tag = tagOf(reference);
    const container = await host.docker.createContainer({
        Image: reference,
        name,
        ...(script === undefined ? {} : { Entrypoint: ["/bin/sh", "-c", script], User: "0:0" }),
    });
    try {
        if (script !== undefined) {
            await container.start();
            await host.exitCode(container);
        }
        await container.commit({ repo: name, tag, changes: "LABEL another=image" });
    } finally {
        await container.remove({ force: true, v: true });
    }
    return `${name}:${tag}`;
}

/** Removes the images of {@link imageChanged} and {@link proxyReplaced}, once no container needs them any more. */
export async function removeMadeImages({ host }: ChaosTarget): Promise<void> {
    for (const { RepoTags: tags } of await host.docker.listImages()) {
        for (const tag of tags ?? []) {
            if (tag.startsWith(`${runPrefix()}-`)) {
                await host.docker.getImage(tag).remove();
            }
        }
    }
}
