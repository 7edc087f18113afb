import type Docker from "dockerode";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../components/docker/poll";
import { hostEngine } from "../../../tools/stack/hostConnection";
import { membershipPlan } from "../../../tools/hosts/membershipPlan";
import { carryOut, readSwarms } from "../../../tools/hosts/swarmMembership";
import { VirtualHosts } from "../../../tools/playground/virtualHosts";
import { CHAOS_BUCKET } from "../chaos/chaosClient";
import type { CourseTarget } from "../chaos/course";
import { troubledLines } from "../chaos/proxyLog";
import { untilNoneAils } from "../chaos/untilWhole";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime } from "../harness/haproxyRuntime";
import { startRelay } from "../harness/relay";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";

/**
 * Milliseconds without a byte after which clients send a request again, as the AWS CLI and boto3 do. A host that can't be
 * heard ends its connections without a word to their clients, and one that waits without a limit waits for ever.
 */
export const CLIENTS_TIMEOUT = 60_000;

/** Containers of a host that are healthy when everything is. */
const SERVING = /-proxy$|-pool\d+-node\d+$/;

/** What virtual hosts have besides a store and its proxies. */
export interface HostsTargetOptions {
    /** Further images. Default: none. */
    images?: string[];
    /** Addresses that clients connect to. Default: those of all hosts. */
    clientAddresses?: string[];
}

/**
 * A store over several virtual hosts. Its clients reach the proxies through the hosts' own network, from a port of this
 * machine's loopback address.
 */
export class HostsTarget implements CourseTarget {
    outputs: DeploymentOutputs = {} as DeploymentOutputs;
    /** No other certificate is served here. */
    readonly nextCertificate = { ca: "" };
    readonly socketTimeout = CLIENTS_TIMEOUT;
    private outside: Server | undefined;

    private constructor(
        readonly store: Store,
        readonly hosts: VirtualHosts,
        readonly deployment: Deployment,
        private readonly socket: string,
        private readonly options: HostsTargetOptions,
    ) {}

    /** Makes the hosts, and a stack for them that is not deployed yet. */
    static async create(
        store: Store,
        hostCount: number,
        config: DeploymentConfig,
        options: HostsTargetOptions = {},
    ): Promise<HostsTarget> {
        const folder = mkdtempSync(join(tmpdir(), "hosts-"));
        const prefix = `hosts-${randomBytes(3).toString("hex")}`;
        const hosts = await VirtualHosts.create({ count: hostCount, prefix, folder });
        try {
            await hosts.load([testImages().haproxy, store.config["image"] ?? "", ...(options.images ?? [])]);
            const deployment = await Deployment.create({
                ...store.config,
                hosts: JSON.stringify(hosts.hosts),
                // The kernel may lack ESP, without which nothing arrives on an encrypted overlay.
                unencryptedOverlay: "true",
                publishAddress: "0.0.0.0",
                ...config,
            });
            return new HostsTarget(store, hosts, deployment, join(folder, "client.sock"), options);
        } catch (error) {
            await hosts.remove();
            throw error;
        }
    }

    /** Makes the hosts one swarm, as `npm run hosts -- join` does. */
    async join(): Promise<void> {
        const plan = membershipPlan(this.hosts.hosts, await readSwarms(this.hosts.hosts));
        await carryOut(plan, { engine: hostEngine, print: () => undefined, clock: systemClock });
    }

    /** Deploys the store, and opens it for clients. */
    async up(): Promise<void> {
        await this.deployment.up();
        const port = this.deployment.httpsPort;
        if (!existsSync(this.socket)) {
            await this.hosts.relay(this.socket, port, this.options.clientAddresses);
            this.outside = await startRelay({ host: "127.0.0.1", port }, { path: this.socket });
        }
        this.outputs = await this.deployment.outputs();
    }

    /** Creates the bucket that the load uses. */
    async prepareLoad(): Promise<void> {
        const client = s3ClientFor(this.outputs);
        await client.send(new CreateBucketCommand({ Bucket: CHAOS_BUCKET }));
        client.destroy();
    }

    /** The engine of a host. */
    engine(host: string): DockerHost {
        const found = this.hosts.hosts.find(({ name }) => name === host);
        return new DockerHost(found?.dockerHost.replace("unix://", ""));
    }

    /** Names of the running containers of each host, in alphabetical order. */
    async containers(): Promise<{ [host: string]: string[] }> {
        const lists = this.hosts.hosts.map(async ({ name }): Promise<[string, string[]]> => [
            name,
            (await this.engine(name).namesOf(this.deployment.clusterName)).filter((one) => SERVING.test(one)).sort(),
        ]);
        return Object.fromEntries(await Promise.all(lists));
    }

    /** Kills all processes of a container, without the engine: the container wasn't stopped explicitly. */
    async crash(host: string, container: string): Promise<void> {
        const { State: state } = await this.engine(host).inspect(container);
        if (state.Pid === 0) {
            throw new Error(`${container} doesn't run`);
        }
        // All processes of a container end with its first one.
        process.kill(state.Pid, "SIGKILL");
    }

    /** The container of a host's proxy. */
    proxyOf(host: string): Docker.Container {
        return this.engine(host).docker.getContainer(`${this.deployment.clusterName}-${host}-proxy`);
    }

    /** Puts both drives of a host's only node on a disk of the host's own, before anything is deployed. */
    async putOnOwnDisk(host: string, size: string): Promise<void> {
        const node = this.hosts.hosts.findIndex(({ name }) => name === host) + 1;
        const volumes = [1, 2].map((drive) => `${this.deployment.clusterName}-pool1-node${node}-drive${drive}`);
        await Promise.all(volumes.map((Name) => this.engine(host).docker.createVolume({ Name })));
        await this.hosts.addDisk(host, size, volumes);
    }

    untilWhole(seconds: number): Promise<void> {
        return untilNoneAils(() => this.ailments(), seconds);
    }

    async troubledLines(since: number): Promise<string[]> {
        const lines = this.proxies().map(({ host, container }) =>
            troubledLines(host, container, since).catch((error: unknown) => [String(error)]),
        );
        return (await Promise.all(lines)).flat();
    }

    /** Removes everything. */
    async remove(): Promise<void> {
        this.outside?.close();
        await this.hosts.remove();
        await this.deployment.remove();
    }

    /** The proxy of each host. */
    private proxies(): { host: DockerHost; container: string }[] {
        return this.hosts.hosts.map(({ name }) => ({
            host: this.engine(name),
            container: `${this.deployment.clusterName}-${name}-proxy`,
        }));
    }

    /** Everything that isn't healthy: containers by their health check, and servers that a proxy doesn't route to. */
    private async ailments(): Promise<string[]> {
        const containers = Object.entries(await this.containers()).flatMap(([host, names]) =>
            names.map(async (name) => {
                const { State: state } = await this.engine(host).inspect(name);
                return state.Health?.Status === "healthy"
                    ? []
                    : [`${name} is ${state.Status}, ${state.Health?.Status}`];
            }),
        );
        const servers = this.proxies().map(async ({ host, container }) => {
            const runtime = new HaproxyRuntime(host, container);
            const states = { ...(await runtime.states("s3")), ...(await runtime.states("console")) };
            return Object.entries(states).flatMap(([server, state]) =>
                state === "UP" ? [] : [`${server} is ${state} in ${container}`],
            );
        });
        return (await Promise.all([...containers, ...servers])).flat();
    }
}
