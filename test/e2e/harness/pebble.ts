import { randomBytes, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request } from "node:https";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../certificates";
import { furtherImage, runPrefix } from "./testRun";
import { startZoneServer, type UpdatableZone } from "./zoneServer";
import { type PebbleSite, onThisMachine } from "./pebbleSite";
import { untilAnswered, answerOf } from "./httpAnswers";

/** Behaviour of a test CA. */
export interface PebbleSettings {
    /** Validity of its certificates in seconds. Default: 90 days. */
    validitySeconds?: number;
    /** Port at which it asks for challenges. Default: 80, as RFC 8555 says. */
    httpPort?: number;
    /** Percentage of valid nonces that it refuses, as a CA may at any time (RFC 8555, section 6.5). Default: 0. */
    refusedNonces?: number;
    /** Upper bound, in seconds, of a random delay before it validates. Default: no delay. */
    validationDelay?: number;
    /**
     * MAC keys, base64url, of its customers' accounts, by key id. If there are any, it registers only these customers.
     */
    externalAccounts?: { [keyId: string]: string };
    /** Zone of all hostnames, which clients can update. Default: none; tests set the addresses of hostnames. */
    zone?: UpdatableZone;
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
 * that the clients' containers reach.
 */
export class Pebble {
    private relay: Server | undefined;

    private constructor(
        /** Prefix of its names on the engine. */
        private readonly name: string,
        private readonly site: PebbleSite,
        private readonly folder: string,
        /** Certificate of the CA that has issued its servers' certificates, in PEM. */
        private readonly serverCa: string,
    ) {}

    /**
     * Starts a CA. Its name server resolves its own hostname and these hostnames.
     *
     * @param makeSite Where it runs. Default: this machine.
     */
    static async start(
        hostnames: string[],
        settings: PebbleSettings = {},
        makeSite: (name: string) => Promise<PebbleSite> = onThisMachine,
    ): Promise<Pebble> {
        const name = `${runPrefix()}-pebble-${randomBytes(3).toString("hex")}`;
        const folder = mkdtempSync(join(tmpdir(), "pebble-"));
        const server = await makeCertificate([CA_HOST]);
        const pebble = new Pebble(name, await makeSite(name), folder, server.issuer);
        try {
            writeFileSync(pebble.trustedCertificatesFile, server.issuer);
            const known = [CA_HOST, ...hostnames];
            if (settings.zone === undefined) {
                await pebble.startNameServer(known);
            } else {
                await startZoneServer(pebble.site.host, `${name}-names`, pebble.address, known, settings.zone);
            }
            await pebble.startCa(server, settings);
            await pebble.comeBack();
            return pebble;
        } catch (error) {
            await pebble.remove();
            throw error;
        }
    }

    /** Its own address. Hostnames resolve to it unless a test sets another one. */
    get address(): string {
        return this.site.address;
    }

    /** Another address, on whose port 80 nothing listens. */
    get elsewhere(): string {
        return this.site.elsewhere;
    }

    /** URL of its ACME directory. */
    get directoryUrl(): string {
        return `https://${CA_HOST}:${DIRECTORY_PORT}/dir`;
    }

    /** A file with the CA certificate that clients of the directory's server have to trust, in PEM. */
    get trustedCertificatesFile(): string {
        return join(this.folder, "trusted.pem");
    }

    /** Makes a hostname resolve to an address, to several, or to nothing. Not with a zone that clients can update. */
    async resolve(hostname: string, address: string | string[] | undefined): Promise<void> {
        await this.tellNameServer("/clear-a", { host: hostname });
        if (address !== undefined) {
            await this.tellNameServer("/add-a", { host: hostname, addresses: [address].flat() });
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
        this.relay ??= await this.site.forward?.(DIRECTORY_PORT, LISTENING_PORT);
    }

    /** Starts Pebble again, without its accounts and orders, and with another root certificate. */
    async forgetEverything(): Promise<void> {
        await this.site.host.docker.getContainer(`${this.name}-ca`).restart();
        await untilAnswered("the CA", () => this.rootCertificate());
    }

    async remove(): Promise<void> {
        this.leave();
        await this.site.remove();
        rmSync(this.folder, { recursive: true, force: true });
    }

    private log(): Promise<string> {
        return this.site.host.logs(`${this.name}-ca`);
    }

    private async startNameServer(hostnames: string[]): Promise<void> {
        const { address } = this;
        const nothing = ["defaultIPv4", "defaultIPv6", "http01", "https01", "tlsalpn01", "doh"].flatMap((option) => [
            `-${option}`,
            "",
        ]);
        const listening = ["-dnsserver", `${address}:${NAMES_PORT}`, "-management", `${address}:${NAMES_CONTROL_PORT}`];
        await this.startContainer("names", ["pebble-challtestsrv", ...listening, ...nothing], []);
        await untilAnswered("the name server", () => this.tellNameServer("/clear-a", { host: CA_HOST }));
        for (const hostname of hostnames) {
            await this.resolve(hostname, this.address);
        }
    }

    private async startCa(
        { certificate, key }: { certificate: string; key: string },
        {
            validitySeconds = 90 * DAY_SECONDS,
            httpPort = 80,
            refusedNonces = 0,
            validationDelay,
            externalAccounts,
        }: PebbleSettings,
    ): Promise<void> {
        const configuration = {
            pebble: {
                listenAddress: `${this.address}:${this.site.forward === undefined ? DIRECTORY_PORT : LISTENING_PORT}`,
                managementListenAddress: `${this.address}:${MANAGEMENT_PORT}`,
                certificate: "certificate.pem",
                privateKey: "key.pem",
                httpPort,
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
        const container = await this.site.host.docker.createContainer({
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
        const place = await this.site.reach(NAMES_CONTROL_PORT);
        const asked = httpRequest({ ...place, path, method: "POST", agent: false });
        const { status } = await answerOf(asked, JSON.stringify(record));
        if (status !== 200) {
            throw new Error(`the name server answered ${path} with ${status}`);
        }
    }

    private async askManagement(path: string): Promise<string> {
        const place = await this.site.reach(MANAGEMENT_PORT);
        const tls = { ca: this.serverCa, servername: CA_HOST };
        const { status, body } = await answerOf(request({ ...place, ...tls, path, agent: false }));
        if (status !== 200) {
            throw new Error(`the CA answered ${path} with ${status}`);
        }
        return body;
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
