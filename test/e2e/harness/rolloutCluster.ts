import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { HaproxyRuntime, type BackendName } from "./haproxyRuntime";
import type { ProxyView } from "./rolloutRecord";
import { standInStore } from "./stores";

/** Readiness queries the other nodes and needs most of them, as with other stores. */
export const READINESS = { SERVICE_HEALTH_PEER_TIMEOUT_SECS: "2", SERVICE_INTERNODE_CONNECT_TIMEOUT_SECS: "1" };

/** A cluster of the stand-in whose nodes are replaced. */
export class RolloutCluster {
    readonly servers = ["node1", "node2", "node3"];
    readonly proxy: HaproxyRuntime;

    private constructor(
        readonly host: DockerHost,
        readonly deployment: Deployment,
        readonly outputs: DeploymentOutputs,
    ) {
        this.proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
    }

    /** Deploys it, with some config besides. */
    static async start(config: DeploymentConfig = {}): Promise<RolloutCluster> {
        const deployment = await Deployment.create({
            ...standInStore().config,
            nodeCount: "3",
            environment: JSON.stringify(READINESS),
            ...config,
        });
        await deployment.up();
        return new RolloutCluster(new DockerHost(), deployment, await deployment.outputs());
    }

    /** The container of a node. */
    nameOf(server: string): string {
        return `${this.deployment.clusterName}-pool1-${server}`;
    }

    /** Properties of each node's container that change with a replacement. */
    async containers(): Promise<{ id: string; image: string }[]> {
        const found = await Promise.all(this.servers.map((server) => this.host.inspect(this.nameOf(server))));
        return found.map(({ Id: id, Image: image }) => ({ id, image }));
    }

    /** Sets a node's state in both backends, as an operator does. */
    async setState(server: string, state: "ready" | "drain"): Promise<void> {
        for (const backend of ["s3", "console"] satisfies BackendName[]) {
            await this.proxy.ask(`set server ${backend}/${server} state ${state}`);
        }
    }

    /** What the proxy shows now. */
    async view(): Promise<ProxyView> {
        return {
            asked: 0,
            answered: 0,
            states: { s3: await this.proxy.states("s3"), console: await this.proxy.states("console") },
        };
    }
}
