import { HANGING_REQUESTS_PROGRAM } from "../components/haproxyConfig/hangingRequests";
import { minioProfile, rustfsProfile, type ServiceProfile } from "../components";
import { makeCertificate, ownCertificate, type TestCertificate } from "../test/certificates";
import { Deployment, type DeploymentConfig } from "../test/e2e/harness/deployment";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { minioStore, rustfsStore } from "../test/e2e/harness/stores";
import { testImages } from "../test/e2e/harness/testRun";
import { prepareBenchImages, type BenchImages } from "./images";
import { LoadContainer } from "./loadContainer";
import type { BenchOptions } from "./measurement";
import { PEER_PORT } from "./peerConfigs";
import { peersOf, startContainer, startPeer, type ContainerSettings } from "./peers";

/** Root credentials of a store. */
export interface Credentials {
    accessKey: string;
    secretKey: string;
}

/** A route to a store for the load. */
export interface Target {
    name: string;
    /** Beginning of the URLs, with the host that the store gets in `Host`. */
    endpoint: string;
    /** Address for the connections. */
    address: string;
    /** Container of the proxy; undefined if there is none. */
    proxy?: string;
    /** Port on loopback that reaches the same target, if it is published. */
    publishedPort?: number;
    tls: boolean;
}

/** Name of the front end among the targets. */
export const FRONT_END = "front end";

const HOST = "s3.localhost";
const CONSOLE_HOST = "console.localhost";
const S3_PORT = 9000;

/** The store behind the proxies. */
interface TestedStore extends Pick<BenchOptions, "storeImage"> {
    store: BenchOptions["store"] | "standIn";
}

/** Targets besides the front end. */
export interface TestbedArgs {
    /** The routes without any proxy. */
    direct?: boolean;
    peers?: boolean;
    /** Whether the peers also have ports on loopback. */
    published?: boolean;
    /** Copies of the front end's HAProxy with a changed configuration. */
    variants?: Variant[];
}

/** A copy of the front end's HAProxy with a change. Without any, it is what the others are compared with. */
export interface Variant {
    name: string;
    /** Returns the changed text of haproxy.cfg. Default: no change. */
    change?: (configuration: string) => string;
    /** Prepares another image, and returns its name. Default: the front end's. */
    image?: () => Promise<string>;
    /** Other settings of the container. */
    container?: ContainerSettings;
}

/** A deployment, the peers in front of the same nodes, and a container that generates load, all on the node network. */
export class Testbed {
    private constructor(
        readonly deployment: Deployment,
        readonly credentials: Credentials,
        readonly certificate: TestCertificate,
        readonly load: LoadContainer,
        readonly targets: Target[],
        readonly images: BenchImages,
        readonly network: string,
        readonly nodes: string[],
    ) {}

    /** Deploys everything; if anything fails, removes everything. */
    static async start(
        { store, storeImage }: TestedStore,
        config: DeploymentConfig,
        { direct = false, peers = true, published = false, variants = [] }: TestbedArgs,
    ): Promise<Testbed> {
        const images = await prepareBenchImages();
        const certificate = await makeCertificate([HOST, CONSOLE_HOST]);
        const deployment = await Deployment.create({
            ...(store === "minio" ? minioStore().config : store === "rustfs" ? rustfsStore().config : {}),
            ...(storeImage === undefined ? {} : { image: storeImage }),
            s3Host: HOST,
            consoleHost: CONSOLE_HOST,
            certificate: ownCertificate(certificate),
            ...config,
        });
        try {
            await deployment.up();
            const { accessKey, secretKey, nodeNames } = await deployment.outputs();
            const { clusterName } = deployment;
            const network = `${clusterName}-nodes`;
            const load = await LoadContainer.start(`${clusterName}-bench-load`, images.load, network);
            const testbed = new Testbed(
                deployment,
                { accessKey, secretKey },
                certificate,
                load,
                [{ ...proxied(FRONT_END, `${clusterName}-proxy`), publishedPort: deployment.httpsPort }],
                images,
                network,
                nodeNames,
            );
            if (peers) {
                await testbed.startPeers(published, store === "minio" ? minioProfile : rustfsProfile);
            }
            await testbed.startVariants(variants);
            if (direct) {
                await testbed.openDirectWays(store === "rustfs" ? "rustfs" : "minio");
            }
            for (const { address, tls } of testbed.targets) {
                await testbed.waitFor(address, tls);
            }
            return testbed;
        } catch (error) {
            await removeAll(deployment);
            throw error;
        }
    }

    async remove(): Promise<void> {
        await removeAll(this.deployment);
    }

    /**
     * Sets TCP's congestion control of every container for new connections, as if it were the host's default. A container
     * may only have what the host allows (`net.ipv4.tcp_allowed_congestion_control`).
     */
    async setCongestionControl(name: string): Promise<void> {
        const host = new DockerHost();
        const write = `echo ${name} > /proc/sys/net/ipv4/tcp_congestion_control`;
        const running = await host.docker.listContainers({ filters: { name: [`^/${this.deployment.clusterName}-`] } });
        for (const { Id: id } of running) {
            await host.runOnNetwork(this.images.load, `container:${id}`, ["/bin/sh", "-c", write], {
                CapAdd: ["NET_ADMIN"],
                // Makes /proc/sys writable.
                ReadonlyPaths: [],
            });
        }
    }

    private async startPeers(published: boolean, { s3HealthPath }: ServiceProfile): Promise<void> {
        for (const [index, peer] of peersOf(this.images).entries()) {
            const name = `${this.deployment.clusterName}-bench-peer${index}`;
            const { network, certificate, nodes } = this;
            const container = await startPeer(peer, {
                ...{ name, network, certificate, published },
                ...{ host: HOST, nodes, healthPath: s3HealthPath },
            });
            const { NetworkSettings: settings } = await container.inspect();
            const port = settings.Ports[`${PEER_PORT}/tcp`]?.[0]?.HostPort;
            this.targets.push({
                ...proxied(peer.name, name),
                ...(port === undefined ? {} : { publishedPort: Number(port) }),
            });
        }
    }

    private async startVariants(variants: Variant[]): Promise<void> {
        const { clusterName } = this.deployment;
        const host = new DockerHost();
        const folder = "/usr/local/etc/haproxy/current";
        for (const [index, { name: variant, change, image, container }] of variants.entries()) {
            const configuration = await host.exec(`${clusterName}-proxy`, ["cat", `${folder}/haproxy.cfg`]);
            const [, certificate = ""] = / crt (\S+) /.exec(configuration) ?? [];
            const besides = await Promise.all(
                [certificate, HANGING_REQUESTS_PROGRAM].map(async (file) => [
                    `/tmp/haproxy/${file}`,
                    await host.exec(`${clusterName}-proxy`, ["cat", `${folder}/${file}`]),
                ]),
            );
            const name = `${clusterName}-bench-variant${index}`;
            await startContainer({
                name,
                image: image === undefined ? testImages().haproxy : await image(),
                network: this.network,
                settings: container,
                command: "haproxy -W -db -f /tmp/haproxy/haproxy.cfg",
                files: {
                    "/run/haproxy/nothing": "",
                    "/tmp/haproxy/haproxy.cfg": change?.(configuration) ?? configuration,
                    ...(Object.fromEntries(besides) as { [file: string]: string }),
                },
            });
            this.targets.push(proxied(variant, name));
        }
    }

    /** The routes without any proxy: to the first node, and to a separate store that terminates TLS itself. */
    private async openDirectWays(store: BenchOptions["store"]): Promise<void> {
        const [node = ""] = this.nodes;
        this.targets.push({
            name: "node, plain",
            endpoint: `http://${HOST}:${S3_PORT}`,
            address: `${node}:${S3_PORT}`,
            tls: false,
        });
        const name = `${this.deployment.clusterName}-bench-tls`;
        const { Config: config } = await new DockerHost().inspect(node);
        const chain = `${this.certificate.certificate}${this.certificate.issuer}`;
        const { accessKey, secretKey } = this.credentials;
        await startContainer({
            name,
            image: config.Image,
            network: this.network,
            ...(store === "minio"
                ? {
                      command: `minio server --certs-dir /tmp/certs --address :${PEER_PORT} /data`,
                      files: { "/tmp/certs/public.crt": chain, "/tmp/certs/private.key": this.certificate.key },
                      env: [`MINIO_ROOT_USER=${accessKey}`, `MINIO_ROOT_PASSWORD=${secretKey}`],
                  }
                : {
                      command: "rustfs /data",
                      files: {
                          "/tmp/certs/rustfs_cert.pem": chain,
                          "/tmp/certs/rustfs_key.pem": this.certificate.key,
                      },
                      env: [
                          `RUSTFS_ACCESS_KEY=${accessKey}`,
                          `RUSTFS_SECRET_KEY=${secretKey}`,
                          `RUSTFS_ADDRESS=:${PEER_PORT}`,
                          "RUSTFS_TLS_PATH=/tmp/certs",
                          "RUSTFS_UNSAFE_BYPASS_DISK_CHECK=true",
                      ],
                  }),
        });
        this.targets.push({ ...proxied("node, TLS", name), proxy: undefined });
    }

    /** Waits until a target with a healthy node answers, for several minutes at most. */
    private async waitFor(address: string, tls: boolean): Promise<void> {
        const url = `${tls ? "https" : "http"}://${HOST}/`;
        await this.load.shell(
            `for attempt in $(seq 300); do
                 case "$(timeout 5 h2load --h1 -n 1 -c 1 --connect-to=${address} ${url} 2>&1)" in
                     *" 1 done,"*" 0 5xx"*) exit 0 ;;
                 esac
                 sleep 0.2
             done
             echo nothing answers at ${address}; exit 1`,
        );
    }
}

/** Removes the benchmark's containers, which keep the node network in use, then the deployment. */
async function removeAll(deployment: Deployment): Promise<void> {
    await new DockerHost().removeEverythingOf(`${deployment.clusterName}-bench`);
    await deployment.remove();
}

function proxied(name: string, container: string): Target {
    return {
        name,
        endpoint: `https://${HOST}:${PEER_PORT}`,
        address: `${container}:${PEER_PORT}`,
        proxy: container,
        tls: true,
    };
}
