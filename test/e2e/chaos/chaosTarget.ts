import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime } from "../harness/haproxyRuntime";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";
import { makeCertificate } from "../../certificates";
import { CHAOS_BUCKET } from "./chaosClient";
import { troubledLines } from "./proxyLog";
import { untilNoneAils } from "./untilWhole";

/** A certificate in the format of stack config, and its issuer. */
export interface NextCertificate {
    pem: string;
    ca: string;
}

/** What a cluster needs in addition to its own deployment. */
export interface Surroundings {
    beforeUp?: (store: Store, deployment: Deployment) => Promise<void>;
    afterUp?: (deployment: Deployment) => Promise<void>;
    /** Runs before the deployment is removed. */
    release?: (deployment: Deployment) => Promise<void>;
}

/** A deployment under test, with the tools to disturb it. */
export class ChaosTarget {
    readonly host = new DockerHost();
    readonly proxy: HaproxyRuntime;

    private constructor(
        readonly store: Store,
        readonly deployment: Deployment,
        public outputs: DeploymentOutputs,
        /** A certificate that isn't served yet, by a CA that clients already trust. */
        readonly nextCertificate: NextCertificate,
    ) {
        this.proxy = new HaproxyRuntime(this.host, `${deployment.clusterName}-proxy`);
    }

    /** Deploys a cluster, and creates the bucket that the load uses. */
    static async deploy(store: Store, config: DeploymentConfig, surroundings: Surroundings = {}): Promise<ChaosTarget> {
        const deployment = await Deployment.create({ ...store.config, ...config });
        try {
            await surroundings.beforeUp?.(store, deployment);
            await deployment.up();
            await surroundings.afterUp?.(deployment);
            const outputs = await deployment.outputs();
            const target = new ChaosTarget(store, deployment, outputs, await makeNextCertificate(outputs));
            await s3ClientFor(target.outputs).send(new CreateBucketCommand({ Bucket: CHAOS_BUCKET }));
            return target;
        } catch (error) {
            await deployment.remove();
            throw error;
        }
    }

    /** Names of the nodes' containers. */
    get nodes(): string[] {
        return this.outputs.nodeNames;
    }

    /** Updates the list of nodes after an update has added some. */
    async learnNodes(): Promise<void> {
        this.outputs = await this.deployment.outputs();
    }

    /** Name of one node's container; nodes count from one. */
    node(number: number): string {
        const name = this.nodes[number - 1];
        if (name === undefined) {
            throw new Error(`there is no node ${number}`);
        }
        return name;
    }

    /** Name of the node network. */
    get nodeNetwork(): string {
        return `${this.deployment.clusterName}-nodes`;
    }

    /** Sends a signal to a container's main program from the host, as the kernel or an operator would. */
    async signal(container: string, signal: "KILL" | "STOP" | "CONT"): Promise<void> {
        const kill = ["/bin/sh", "-c", `kill -${signal} ${await this.programOf(container)}`];
        await this.host.runOnNetwork(testImages().clients, "none", kill, { PidMode: "host" });
    }

    /**
     * Process id, on the host, of a container's main program: the last of the chain of init, start script and program.
     */
    private async programOf(container: string): Promise<string> {
        const { State: state, HostConfig: config } = await this.host.inspect(container);
        if (config.Init !== true) {
            return String(state.Pid);
        }
        const { Titles: titles, Processes: processes } = (await this.host.docker.getContainer(container).top()) as {
            Titles: string[];
            Processes: string[][];
        };
        const [pid, parent] = ["PID", "PPID"].map((title) => titles.indexOf(title));
        const childOf = (process: string) => processes.find((cells) => cells[parent ?? 0] === process)?.[pid ?? 0];
        let program = childOf(String(state.Pid));
        if (program === undefined) {
            throw new Error(`${container} runs nothing`);
        }
        for (let child = childOf(program); child !== undefined; child = childOf(child)) {
            program = child;
        }
        return program;
    }

    /** Everything that isn't healthy: containers by their health check, and servers that HAProxy doesn't route to. */
    async ailments(): Promise<string[]> {
        const containers = await Promise.all(
            [...this.nodes, this.proxy.container].map(async (container) => {
                const { State: state } = await this.host.inspect(container);
                const health = state.Health?.Status ?? "none";
                return state.Status === "running" && health === "healthy"
                    ? []
                    : [`${container} is ${state.Status}, ${health}`];
            }),
        );
        const found = containers.flat();
        if (found.length > 0) {
            return found;
        }
        const [s3, console] = [await this.proxy.states("s3"), await this.proxy.states("console")];
        return Object.entries({ s3, console }).flatMap(([backend, states]) =>
            Object.entries(states)
                .filter(([, state]) => state !== "UP")
                .map(([server, state]) => `${backend}/${server} is ${state}`),
        );
    }

    troubledLines(since: number): Promise<string[]> {
        return troubledLines(this.host, this.proxy.container, since);
    }

    /** Waits until every container and every server is healthy. */
    untilWhole(seconds: number): Promise<void> {
        return untilNoneAils(() => this.ailments(), seconds);
    }
}

async function makeNextCertificate({ s3Endpoint, consoleUrl }: DeploymentOutputs): Promise<NextCertificate> {
    const hostnames = [s3Endpoint, consoleUrl].map((url) => new URL(url).hostname);
    const { certificate, key, issuer } = await makeCertificate(hostnames);
    return { pem: certificate + issuer + key, ca: issuer };
}
