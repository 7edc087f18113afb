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

/** How an authority of the tests' own behaves. */
export interface PebbleSettings {
    /** Seconds that its certificates are valid for. Default: 90 days. */
    validitySeconds?: number;
    /** How many of a hundred good nonces it refuses, as an authority may at any time (RFC 8555, section 6.5). Default: 0. */
    refusedNonces?: number;
    /** It waits before it validates, for less than these seconds, at random. Default: not at all. */
    validationDelay?: number;
    /** MAC keys, base64url, of its customers' accounts, by key id. Where there are any, it registers nobody else. */
    externalAccounts?: { [keyId: string]: string };
}

/** Hostname of the CA's directory. */
const AUTHORITY_HOST = "ca.example.test";

/** Where clients find the authority. */
const DIRECTORY_PORT = 14_000;

/** Where it listens itself; the test's relay is between, so that it can be away and keep what it knows. */
const LISTENING_PORT = 14_001;

const MANAGEMENT_PORT = 15_000;
const NAMES_PORT = 53;
const NAMES_CONTROL_PORT = 8055;
const DAY_SECONDS = 24 * 3600;

/** Writes Pebble's files where it may, and becomes it. */
const START_SCRIPT = [
    "cd /tmp",
    'printf %s "$CERTIFICATE" > certificate.pem',
    'printf %s "$KEY" > key.pem',
    'printf %s "$CONFIGURATION" > configuration.json',
    'exec pebble -strict -config configuration.json -dnsserver "$NAME_SERVER"',
].join(" && ");

/**
 * The ACME test server Pebble (RFC 8555), and a name server that it and its clients ask. Both listen on an address of this
 * host that containers reach: the gateway of a network that nothing else is on.
 */
export class Pebble {
    private readonly host = new DockerHost();
    private relay: Server | undefined;

    private constructor(
        /** Prefix of its names on the engine. */
        private readonly name: string,
        /** Its own address, which hostnames lead to unless they are told otherwise. */
        readonly address: string,
        /** Another address of this host, on whose port 80 nothing listens. */
        readonly elsewhere: string,
        private readonly folder: string,
        /** Who vouches for its servers, in PEM. */
        private readonly serverAuthority: string,
    ) {}

    /** Starts one; its name server knows its own hostname and these. */
    static async start(hostnames: string[], settings: PebbleSettings = {}): Promise<Pebble> {
        const name = `${runPrefix()}-pebble-${randomBytes(3).toString("hex")}`;
        const subnet = await freeSubnet();
        const otherSubnet = await freeSubnet([subnet]);
        const folder = mkdtempSync(join(tmpdir(), "pebble-"));
        const server = await makeCertificate([AUTHORITY_HOST]);
        const pebble = new Pebble(name, gatewayOf(subnet), gatewayOf(otherSubnet), folder, server.issuer);
        try {
            writeFileSync(pebble.trustedCertificatesFile, server.issuer);
            await pebble.makeNetwork("here", subnet);
            await pebble.makeNetwork("elsewhere", otherSubnet);
            await pebble.startNameServer();
            await pebble.startAuthority(server, settings);
            for (const hostname of [AUTHORITY_HOST, ...hostnames]) {
                await pebble.resolve(hostname, pebble.address);
            }
            await pebble.comeBack();
            return pebble;
        } catch (error) {
            await pebble.remove();
            throw error;
        }
    }

    /** URL of its directory. */
    get directoryUrl(): string {
        return `https://${AUTHORITY_HOST}:${DIRECTORY_PORT}/dir`;
    }

    /** A file with the certificate that vouches for the directory's server, in PEM. */
    get trustedCertificatesFile(): string {
        return join(this.folder, "trusted.pem");
    }

    /** Has a hostname lead to an address, or nowhere. */
    async resolve(hostname: string, address: string | undefined): Promise<void> {
        await this.tellNameServer("/clear-a", { host: hostname });
        if (address !== undefined) {
            await this.tellNameServer("/add-a", { host: hostname, addresses: [address] });
        }
    }

    /** The certificate that clients trust who trust what it issues, in PEM. */
    rootCertificate(): Promise<string> {
        return this.askManagement("/roots/0");
    }

    /** How many orders were placed with it. */
    async orders(): Promise<number> {
        return [...(await this.log()).matchAll(/Added order "/g)].length;
    }

    /** How many accounts were registered with it, those that it has forgotten too. */
    async accounts(): Promise<number> {
        return [...(await this.log()).matchAll(/There are now \d+ accounts in memory/g)].length;
    }

    /** Serial numbers of all that it has issued, the oldest first, as {@link serialOf} gives them. */
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

    /** Starts again, without its accounts and orders, and with another root certificate. */
    async forgetEverything(): Promise<void> {
        await this.host.docker.getContainer(`${this.name}-authority`).restart();
        await untilAnswered("the authority", () => this.rootCertificate());
    }

    async remove(): Promise<void> {
        this.leave();
        await this.host.removeEverythingOf(this.name);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private log(): Promise<string> {
        return this.host.logs(`${this.name}-authority`);
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
        await untilAnswered("the name server", () => this.tellNameServer("/clear-a", { host: AUTHORITY_HOST }));
    }

    private async startAuthority(
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
            "authority",
            ["/bin/sh", "-c", START_SCRIPT],
            [
                `CERTIFICATE=${certificate}`,
                `KEY=${key}`,
                `CONFIGURATION=${JSON.stringify(configuration)}`,
                `NAME_SERVER=${this.address}:${NAMES_PORT}`,
                `PEBBLE_WFE_NONCEREJECT=${refusedNonces}`,
                validationDelay === undefined ? "PEBBLE_VA_NOSLEEP=1" : `PEBBLE_VA_SLEEPTIME=${validationDelay}`,
                // Each order is validated, whatever was before.
                "PEBBLE_AUTHZREUSE=0",
            ],
        );
        await untilAnswered("the authority", () => this.rootCertificate());
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
        const tls = { ca: this.serverAuthority, servername: AUTHORITY_HOST };
        return new Promise((resolve, reject) => {
            request({ ...place, ...tls }, (response) => {
                let body = "";
                response.setEncoding("utf8").on("data", (part: string) => (body += part));
                response.on("end", () =>
                    response.statusCode === 200
                        ? resolve(body)
                        : reject(new Error(`the authority answered ${path} with ${response.statusCode}`)),
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

/** A serial number in hexadecimal digits, as {@link serialOf} has it. */
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
