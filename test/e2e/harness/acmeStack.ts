import type { X509Certificate } from "node:crypto";
import type { Server } from "node:net";
import { METRICS_PORT } from "../../../components/haproxyConfig/args";
import { Deployment, type DeploymentConfig } from "./deployment";
import { DockerHost } from "./dockerHost";
import { serialOf, withoutZeros, type Pebble } from "./pebble";
import { openTlsSocket } from "./rawConnection";
import { startRelay } from "./relay";
import { standInStore } from "./stores";
import { furtherImage, testImages } from "./testRun";
import { waitUntil } from "./wait";

/** Public hostnames of the stack. The CA must be able to certify them, so they are not below `.localhost`. */
export const [S3_HOST, CONSOLE_HOST] = ["s3.example.test", "console.example.test"];

/** Both hostnames. */
export const PUBLIC_HOSTS = [S3_HOST, CONSOLE_HOST];

/** Values below the key `acme` of stack config. */
export interface AcmeConfig {
    [key: string]: unknown;
}

/** The certificate that a client of one hostname gets. */
export interface ServedCertificate {
    certificate: X509Certificate;
    serial: string;
    /** Whether a client accepts it that trusts only one CA. */
    trusted: boolean;
}

/** Values of `/metrics/certificate`. */
export type CertificateMetric = "not_after_seconds" | "renewal_failures";

/**
 * Folders in which the containers of {@link AcmeStack.onVolumes} mount the client's volume and the volume of the served
 * certificate.
 */
export const [ACME_FOLDER, CERTIFICATE_FOLDER] = ["/acme", "/certificate"];

/**
 * A deployment whose certificate is ordered from {@link Pebble}. It publishes port 80, as HTTP-01 requires, on the CA's
 * own address. Relays connect the usual test ports of loopback to its ports.
 */
export class AcmeStack {
    readonly host = new DockerHost();
    private readonly relays: Server[] = [];

    private constructor(
        readonly deployment: Deployment,
        readonly pebble: Pebble,
        private readonly acme: AcmeConfig,
    ) {}

    /** Creates a stack with the contract stand-in, unless the config says otherwise, and deploys nothing yet. */
    static async create(pebble: Pebble, acme: AcmeConfig = {}, config: DeploymentConfig = {}): Promise<AcmeStack> {
        const stack = new AcmeStack(
            await Deployment.create({
                ...standInStore().config,
                s3Host: S3_HOST,
                consoleHost: CONSOLE_HOST,
                publishAddress: pebble.address,
                httpPort: "80",
                ...config,
            }),
            pebble,
            {
                termsAgreed: true,
                directoryUrl: pebble.directoryUrl,
                trustedCertificates: { file: pebble.trustedCertificatesFile },
                nameServers: [pebble.address],
                image: furtherImage("lego"),
                ...acme,
            },
        );
        try {
            await stack.configureAcme();
            await stack.relay(stack.deployment.httpPort, 80);
            await stack.relay(stack.deployment.httpsPort, stack.deployment.httpsPort);
            return stack;
        } catch (error) {
            await stack.remove();
            throw error;
        }
    }

    /** Name of the proxy's container. */
    get proxy(): string {
        return `${this.deployment.clusterName}-proxy`;
    }

    /** Name of the container that orders and renews. */
    get client(): string {
        return `${this.deployment.clusterName}-acme`;
    }

    /** Name of the container that checks and loads the obtained certificate. */
    get deployer(): string {
        return `${this.deployment.clusterName}-certificate`;
    }

    /** Sets `certificate.acme` of stack config. The values that are passed replace the initial ones. */
    async configureAcme(changes: AcmeConfig = {}): Promise<void> {
        await this.deployment.configure({ certificate: JSON.stringify({ acme: { ...this.acme, ...changes } }) });
    }

    /**
     * The certificate that a new connection to a hostname gets.
     *
     * @throws {Error} if the handshake fails.
     */
    async served(servername = S3_HOST, ca?: string): Promise<ServedCertificate> {
        const socket = await openTlsSocket(this.deployment.httpsPort, { servername, ca });
        try {
            const certificate = socket.getPeerX509Certificate();
            if (certificate === undefined) {
                throw new Error("no certificate was shown");
            }
            return { certificate, serial: serialOf(certificate), trusted: socket.authorized };
        } finally {
            socket.destroy();
        }
    }

    /** The proxy's metrics of the certificate, requested from the node network, the only one where they are served. */
    async metric(name: CertificateMetric): Promise<number> {
        const { clusterName } = this.deployment;
        const { NetworkSettings: settings } = await this.host.inspect(this.proxy);
        const address = settings.Networks[`${clusterName}-nodes`]?.IPAddress ?? "";
        const url = `http://${address}:${METRICS_PORT}/metrics/certificate`;
        const curl = ["curl", "--silent", "--show-error", "--fail", url];
        const text = await this.host.exec(`${clusterName}-pool1-node1`, curl);
        return Number(new RegExp(`^object_store_certificate_${name} (\\S+)$`, "m").exec(text)?.[1]);
    }

    /** Runs a shell script as root in a container that mounts both volumes. Returns its output. */
    onVolumes(script: string): Promise<string> {
        const { client, deployer } = this;
        const volumes = { [ACME_FOLDER]: client, [CERTIFICATE_FOLDER]: deployer };
        return this.host.runOnVolumes(testImages().clients, volumes, `set -e\n${script}`);
    }

    /** The serial number of the last certificate that the client has written. */
    async obtainedSerial(): Promise<string> {
        const file = `/var/lib/acme/certificates/${S3_HOST}.crt`;
        const printed = await this.host.exec(this.deployer, ["openssl", "x509", "-noout", "-serial", "-in", file]);
        return withoutZeros(printed.trim().replace("serial=", ""));
    }

    /**
     * Stops the client while it is idle: its last certificate is served, and no order is in progress. Returns that
     * serial number. A client that is stopped in the middle of an order leaves a certificate that was issued and will
     * never be served.
     */
    async stopClient(): Promise<string> {
        const client = this.host.docker.getContainer(this.client);
        for (;;) {
            let serial = "";
            await waitUntil("what was issued last is served", async () => {
                ({ serial } = await this.served());
                return (await this.pebble.issued()).at(-1) === serial;
            });
            await client.stop();
            if ((await this.pebble.issued()).at(-1) === serial) {
                return serial;
            }
            await client.start();
        }
    }

    /** Starts the client if it isn't running. */
    async startClient(): Promise<void> {
        if (!(await this.host.inspect(this.client)).State.Running) {
            await this.host.docker.getContainer(this.client).start();
        }
    }

    /**
     * Places in which one of these texts can be read: the state, the containers' logs, `docker inspect`. Nothing of the texts
     * is printed, so that a failing test doesn't show them.
     */
    async placesWith(secrets: string[]): Promise<string[]> {
        const state = this.deployment.state();
        const places = [{ place: "state", text: state }];
        const names = [...(await this.containers()).keys()];
        for (const name of names) {
            places.push({ place: `log of ${name}`, text: await this.host.logs(name) });
            places.push({ place: `inspect of ${name}`, text: JSON.stringify(await this.host.inspect(name)) });
        }
        expect(names).toEqual(expect.arrayContaining([this.client, this.deployer, this.proxy]));
        expect(state).toContain(this.client);
        return places.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ place }) => place);
    }

    /** Ids of the stack's containers, by name. */
    async containers(): Promise<Map<string, string>> {
        const listed = await this.host.docker.listContainers({ all: true });
        return new Map(
            listed
                .map(({ Names: [name = ""], Id: id }): [string, string] => [name.slice(1), id])
                .filter(([name]) => name.startsWith(this.deployment.clusterName)),
        );
    }

    /** Removes everything, including the data. */
    async remove(): Promise<void> {
        this.relays.forEach((relay) => relay.close());
        await this.deployment.remove();
    }

    private async relay(port: number, publishedPort: number): Promise<void> {
        const published = { host: this.pebble.address, port: publishedPort };
        this.relays.push(await startRelay({ host: "127.0.0.1", port }, published));
    }
}
