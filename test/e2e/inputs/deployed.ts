import type Docker from "dockerode";
import { X509Certificate } from "node:crypto";
import { request } from "node:https";
import { connect } from "node:tls";
import { serviceProfile, type ServiceVariables } from "../../../components";
import type { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime } from "../harness/haproxyRuntime";
import { subnetOf } from "../harness/networkClient";
import type { StackInputs } from "./input";

/** A response of the proxy. */
export interface ProxyAnswer {
    status: number;
    headers: { [name: string]: string | string[] | undefined };
    body: string;
}

const CONFIGURATION_DIRECTORY = "/usr/local/etc/haproxy/current";
const SECRETS_DIRECTORY = "/run/store/current";

/** The resources deployed with these args, as the engine and the proxy show them. */
export class Deployed {
    constructor(
        private readonly host: DockerHost,
        readonly desired: StackInputs,
        /** Whether Pulumi refuses to delete a resource, by its name in the program. */
        readonly isProtected: (resource: string) => Promise<boolean>,
    ) {}

    private get nodeName(): string {
        return `${this.desired.cluster.clusterName}-pool1-node1`;
    }

    private get proxyName(): string {
        return `${this.desired.proxy.frontEndName}-proxy`;
    }

    /** Names of the store's variables. */
    get variableNames(): ServiceVariables {
        return (this.desired.cluster.customProfile ?? serviceProfile).variables;
    }

    /** The node's container. */
    node(): Promise<Docker.ContainerInspectInfo> {
        return this.host.inspect(this.nodeName);
    }

    /** The proxy's container. */
    proxy(): Promise<Docker.ContainerInspectInfo> {
        return this.host.inspect(this.proxyName);
    }

    /** Where the proxy's ports are published, by port in its container. */
    async published(): Promise<{ [port: number]: { address: string; port: number } }> {
        const bindings = (await this.proxy()).HostConfig.PortBindings as {
            [port: string]: { HostIp?: string; HostPort?: string }[];
        };
        const found: { [port: number]: { address: string; port: number } } = {};
        for (const [inside, [{ HostIp: address = "", HostPort: port = "" } = {}]] of Object.entries(bindings)) {
            found[parseInt(inside)] = { address, port: Number(port) };
        }
        return found;
    }

    /** Id of an image with this reference. */
    async imageId(reference: string | undefined): Promise<string> {
        return (await this.host.docker.getImage(reference ?? "").inspect()).Id;
    }

    /** The node's variables that `docker inspect` shows. */
    async variables(): Promise<{ [name: string]: string }> {
        const { Config: config } = await this.node();
        return Object.fromEntries(
            config.Env.map((line): [string, string] => {
                const [name = "", value = ""] = line.split(/=(.*)/s);
                return [name, value];
            }),
        );
    }

    /** A variable of the node's secrets, as a shell reads it. */
    async secret(name: string): Promise<string | undefined> {
        const script = `set -a; . ${SECRETS_DIRECTORY}/environment; env --null`;
        const lines = (await this.host.exec(this.nodeName, ["/bin/sh", "-c", script])).split("\0");
        return lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
    }

    /** A file next to the node's secrets. */
    nodeFile(name: string): Promise<string> {
        return this.host.exec(this.nodeName, ["cat", `${SECRETS_DIRECTORY}/${name}`]);
    }

    /** Owner of the node's secrets and of its drive. */
    async owners(): Promise<string[]> {
        const paths = [`${SECRETS_DIRECTORY}/environment`, "/data/drive1"];
        return (await this.host.exec(this.nodeName, ["stat", "-c", "%u:%g", ...paths])).trim().split("\n");
    }

    /** Addresses of the node network, or of the public one. */
    subnet(owner: "nodes" | "public"): Promise<string> {
        const { cluster, proxy } = this.desired;
        return subnetOf(this.host, `${owner === "nodes" ? cluster.clusterName : proxy.frontEndName}-${owner}`);
    }

    /** The node's first volume. */
    drive(): Promise<Docker.VolumeInspectInfo> {
        return this.host.docker.getVolume(`${this.nodeName}-drive1`).inspect();
    }

    /** Names of all nodes. */
    async nodeNames(): Promise<string[]> {
        const names = await this.host.namesOf(`${this.desired.cluster.clusterName}-pool`);
        return names.filter((name) => /-node\d+$/.test(name));
    }

    /**
     * haproxy.cfg as the proxy runs it: the file in the volume, which must not be newer than the worker that has read
     * it.
     */
    async configuration(): Promise<string> {
        const runtime = new HaproxyRuntime(this.host, this.proxyName);
        const stat = ["stat", "-c", "%Y", `${CONFIGURATION_DIRECTORY}/haproxy.cfg`];
        const written = Number(await this.host.exec(this.proxyName, stat));
        const started = Number(/^Start_time_sec: (\d+)$/m.exec(await runtime.ask("show info"))?.[1]);
        if (!(started >= written)) {
            throw new Error(`the proxy's worker started at ${started}, its configuration is of ${written}`);
        }
        return runtime.configuration();
    }

    /** Lines of {@link configuration} with this beginning, without it. */
    async configured(beginning: string): Promise<string[]> {
        const lines = (await this.configuration()).split("\n").map((line) => line.trim());
        return lines.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length).trim());
    }

    /** The answer to a GET with a Host header, over TLS. */
    ask(hostname: string, path: string): Promise<ProxyAnswer> {
        const { publishAddress: host, httpsPort: port } = this.desired.proxy;
        const options = { host, port, path, headers: { host: hostname }, servername: hostname, agent: false };
        return new Promise((resolve, reject) => {
            request({ ...options, rejectUnauthorized: false }, (response) => {
                let body = "";
                response.setEncoding("utf8").on("data", (part: string) => (body += part));
                response.on("end", () =>
                    resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
                );
            })
                .on("error", reject)
                .end();
        });
    }

    /** Those of these hostnames that the proxy routes. */
    async routed(hostnames: string[]): Promise<string[]> {
        const answers = await Promise.all(hostnames.map((hostname) => this.ask(hostname, "/")));
        return hostnames.filter((_, index) => answers[index]?.status !== 404);
    }

    /** Those of these paths that the proxy closes on a hostname. */
    async closed(hostname: string, paths: string[]): Promise<string[]> {
        const answers = await Promise.all(paths.map((path) => this.ask(hostname, path)));
        return paths.filter((_, index) => answers[index]?.body.includes("This path is closed here"));
    }

    /** The first certificate in the served chain. */
    certificate(): Promise<X509Certificate> {
        const { publishAddress: host, httpsPort: port } = this.desired.proxy;
        return new Promise((resolve, reject) => {
            const options = { host, port, servername: this.desired.proxy.s3Host, rejectUnauthorized: false };
            const socket = connect(options as { port: number }, () => {
                const { raw } = socket.getPeerCertificate();
                socket.destroy();
                resolve(new X509Certificate(raw));
            });
            socket.on("error", reject);
        });
    }
}
