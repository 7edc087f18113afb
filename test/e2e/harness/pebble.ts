import { randomBytes, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressAt, gatewayOf } from "../../../components/naming/ipv4Network";
import { makeCertificate } from "../../certificates";
import { DockerHost } from "./dockerHost";
import { freeSubnet } from "./freeResources";
import { startRelay } from "./relay";
import { furtherImage, runPrefix } from "./testRun";
import { waitUntil } from "./wait";

/** Behaviour of a test CA. */
export interface PebbleSettings {
    /** Validity of its certificates in seconds. Default: 90 days. */
    validitySeconds?: number;
    /** Percentage of valid nonces that it refuses, as a CA may at any time (RFC 8555, section 6.5). Default: 0. */
    refusedNonces?: number;
    /** Upper bound, in seconds, of a random delay before it validates. Default: no delay. */
    validationDelay?: number;
    /**
     * MAC keys, base64url, of its customers' accounts, by key id. If there are any, it registers only these customers.
     */
    externalAccounts?: { [keyId: string]: string };
}

/** Hostname of the CA's directory. */
const CA_HOST = "ca.example.test";

/** Address at which clients reach the CA. */
const DIRECTORY_PORT = 14_000;

/**
 * Address at which Pebble itself listens. The test's relay is in between, so that the CA can be unavailable without
 * losing its state.
 */
const LISTENING_PORT = 14_001;

const MANAGEMENT_PORT = 15_000;
const NAMES_PORT = 53;
const NAMES_CONTROL_PORT = 8055;
const DAY_SECONDS = 24 * 3600;

/** Writes Pebble's files to writable places, then executes Pebble. */
const START_SCRIPT = [
    "cd /tmp",
    'printf %s "$CERTIFICATE" > certificate.pem',
    'printf %s "$KEY" > key.pem',
    'printf %s "$CONFIGURATION" > configuration.json',
    'exec pebble -strict -config configuration.json -dnsserver "$NAME_SERVER"',
].join(" && ");

/**
 * The ACME test server Pebble (RFC 8555), and a name server that Pebble and its clients use. Both listen on an address
 * of this host that containers reach: the gateway of a network without other containers.
 */
export class Pebble {
    private readonly host = new DockerHost();
    private relay: Server | undefined;

    private constructor(
        /** Prefix of its names on the engine. */
        private readonly name: string,
        /** Its own address. Hostnames resolve to it unless a test sets another one. */
        readonly address: string,
        /** Another address of this host, on whose port 80 nothing listens. */
        readonly elsewhere: string,
        private readonly folder: string,
        /** Certificate of the CA that has issued its servers' certificates, in PEM. */
        private readonly serverCa: string,
    ) {}

    /** Starts a CA. Its name server resolves its own hostname and these hostnames. */
    static async start(hostnames: string[], settings: PebbleSettings = {}): Promise<Pebble> {
        const name = `${runPrefix()}-pebble-${randomBytes(3).toString("hex")}`;
        const subnet = await freeSubnet();
        const otherSubnet = await freeSubnet([subnet]);
        const folder = mkdtempSync(join(tmpdir(), "pebble-"));
        const server = await makeCertificate([CA_HOST]);
        const pebble = new Pebble(name, gatewayOf(subnet), gatewayOf(otherSubnet), folder, server.issuer);
        try {
            writeFileSync(pebble.trustedCertificatesFile, server.issuer);
            await pebble.makeNetwork("here", subnet);
            await pebble.makeNetwork("elsewhere", otherSubnet);
            await pebble.startNameServer();
            await pebble.startCa(server, settings);
            for (const hostname of [CA_HOST, ...hostnames]) {
                await pebble.resolve(hostname, pebble.address);
            }
            await pebble.comeBack();
            return pebble;
        } catch (error) {
            await pebble.remove();
            throw error;
        }
    }

    /** URL of its ACME directory. */
    get directoryUrl(): string {
        return `https://${CA_HOST}:${DIRECTORY_PORT}/dir`;
    }

    /** A file with the CA certificate that clients of the directory's server have to trust, in PEM. */
    get trustedCertificatesFile(): string {
        return join(this.folder, "trusted.pem");
    }

    /** Makes a hostname resolve to an address, or to nothing. */
    async resolve(hostname: string, address: string | undefined): Promise<void> {
        await this.tellNameServer("/clear-a", { host: hostname });
        if (address !== undefined) {
            await this.tellNameServer("/add-a", { host: hostname, addresses: [address] });
        }
    }

    /** The root certificate for clients that trust its issued certificates, in PEM. */
    rootCertificate(): Promise<string> {
        return this.askManagement("/roots/0");
    }

    /** Number of orders that it has received. */
    async orders(): Promise<number> {
        return [...(await this.log()).matchAll(/Added order "/g)].length;
    }

    /** Number of accounts that were registered with it, including those that it has lost. */
    async accounts(): Promise<number> {
        return [...(await this.log()).matchAll(/There are now \d+ accounts in memory/g)].length;
    }

    /** Serial numbers of all certificates that it has issued, the oldest first, in the format of {@link serialOf}. */
    async issued(): Promise<string[]> {
        const lines = (await this.log()).matchAll(/Issued certificate serial ([0-9a-f]+) for order/g);
        return [...lines].map(([, serial = ""]) => serial.replace(/^0+/, ""));
    }

    /** Refuses connections from now on, and keeps its accounts and orders. */
    leave(): void {
        this.relay?.close();
        this.relay = undefined;
    }

    /** Accepts connections again. */
    async comeBack(): Promise<void> {
        const { address: host } = this;
        this.relay ??= await startRelay({ host, port: DIRECTORY_PORT }, { host, port: LISTENING_PORT });
    }

    /** Starts Pebble again, without its accounts and orders, and with another root certificate. */
    async forgetEverything(): Promise<void> {
        await this.host.docker.getContainer(`${this.name}-ca`).restart();
        await untilAnswered("the CA", () => this.rootCertificate());
    }

    async remove(): Promise<void> {
        this.leave();
        await this.host.removeEverythingOf(this.name);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private log(): Promise<string> {
        return this.host.logs(`${this.name}-ca`);
    }

    private async makeNetwork(place: string, subnet: string): Promise<void> {
        await this.host.docker.createNetwork({
            Name: `${this.name}-${place}`,
            Driver: "bridge",
            IPAM: { Driver: "default", Config: [{ Subnet: subnet, Gateway: addressAt(subnet, 1) }] },
        });
    }

    private async startNameServer(): Promise<void> {
        const { address } = this;
        const nothing = ["defaultIPv4", "defaultIPv6", "http01", "https01", "tlsalpn01", "doh"].flatMap((option) => [
            `-${option}`,
            "",
        ]);
        const listening = ["-dnsserver", `${address}:${NAMES_PORT}`, "-management", `${address}:${NAMES_CONTROL_PORT}`];
        await this.startContainer("names", ["pebble-challtestsrv", ...listening, ...nothing], []);
        await untilAnswered("the name server", () => this.tellNameServer("/clear-a", { host: CA_HOST }));
    }

    private async startCa(
        { certificate, key }: { certificate: string; key: string },
        { validitySeconds = 90 * DAY_SECONDS, refusedNonces = 0, validationDelay, externalAccounts }: PebbleSettings,
    ): Promise<void> {
        const configuration = {
            pebble: {
                listenAddress: `${this.address}:${LISTENING_PORT}`,
                managementListenAddress: `${this.address}:${MANAGEMENT_PORT}`,
                certificate: "certificate.pem",
                privateKey: "key.pem",
                httpPort: 80,
                tlsPort: 443,
                externalAccountBindingRequired: externalAccounts !== undefined,
                externalAccountMACKeys: externalAccounts,
                retryAfter: { authz: 1, order: 1 },
                keyAlgorithm: "ecdsa",
                profiles: { default: { description: "for tests", validityPeriod: validitySeconds } },
            },
        };
        await this.startContainer(
            "ca",
            ["/bin/sh", "-c", START_SCRIPT],
            [
                `CERTIFICATE=${certificate}`,
                `KEY=${key}`,
                `CONFIGURATION=${JSON.stringify(configuration)}`,
                `NAME_SERVER=${this.address}:${NAMES_PORT}`,
                `PEBBLE_WFE_NONCEREJECT=${refusedNonces}`,
                validationDelay === undefined ? "PEBBLE_VA_NOSLEEP=1" : `PEBBLE_VA_SLEEPTIME=${validationDelay}`,
                // Pebble validates each order, whatever it has validated before.
                "PEBBLE_AUTHZREUSE=0",
            ],
        );
        await untilAnswered("the CA", () => this.rootCertificate());
    }

    private async startContainer(part: string, command: string[], environment: string[]): Promise<void> {
        const container = await this.host.docker.createContainer({
            name: `${this.name}-${part}`,
            Image: furtherImage("pebble"),
            User: "0:0",
            Cmd: command,
            Env: environment,
            HostConfig: { NetworkMode: "host" },
        });
        await container.start();
    }

    private async tellNameServer(path: string, record: { host: string; addresses?: string[] }): Promise<void> {
        const url = `http://${this.address}:${NAMES_CONTROL_PORT}${path}`;
        const { status } = await fetch(url, { method: "POST", body: JSON.stringify(record) });
        if (status !== 200) {
            throw new Error(`the name server answered ${path} with ${status}`);
        }
    }

    private askManagement(path: string): Promise<string> {
        const place = { host: this.address, port: MANAGEMENT_PORT, path };
        const tls = { ca: this.serverCa, servername: CA_HOST };
        return new Promise((resolve, reject) => {
            request({ ...place, ...tls }, (response) => {
                let body = "";
                response.setEncoding("utf8").on("data", (part: string) => (body += part));
                response.on("end", () =>
                    response.statusCode === 200
                        ? resolve(body)
                        : reject(new Error(`the CA answered ${path} with ${response.statusCode}`)),
                );
            })
                .on("error", reject)
                .end();
        });
    }
}

/** The serial number of a certificate, in hexadecimal digits. */
export function serialOf({ serialNumber }: X509Certificate): string {
    return withoutZeros(serialNumber);
}

/** A serial number in hexadecimal digits, in the format of {@link serialOf}. */
export function withoutZeros(serialNumber: string): string {
    return serialNumber.toLowerCase().replace(/^0+/, "");
}

/** Waits until a server that was just started answers. */
async function untilAnswered(what: string, ask: () => Promise<unknown>): Promise<void> {
    let trouble: unknown;
    await waitUntil(`${what} answers`, () =>
        ask().then(
            () => true,
            (error: unknown) => ((trouble = error), false),
        ),
    ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${String(trouble)}`, { cause: trouble });
    });
}
