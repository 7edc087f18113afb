import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { CONSOLE_HOST, PUBLIC_HOSTS, S3_HOST } from "../harness/acmeStack";
import { Pebble, serialOf, withoutZeros, type PebbleSettings } from "../harness/pebble";
import type { PebbleSite } from "../harness/pebbleSite";
import { minioStore } from "../harness/stores";
import { furtherImage } from "../harness/testRun";
import { waitUntil } from "../harness/wait";
import { FLOATING_ADDRESS, holdersOf } from "./addressTarget";
import { HostsTarget } from "./hostsTarget";

/** Host of the test CA. It must not be one that a test kills. */
const CA_PLACE = "c";

/** A certificate that several hosts serve. */
export interface CommonCertificate {
    serial: string;
    /** Seconds from the first host that was seen to serve it to the last one. */
    seconds: number;
}

/** Three virtual hosts with a floating address, and a store whose certificate is ordered from a test CA on one of them. */
export class AcmeOnHosts {
    private floatingSocket: Promise<string> | undefined;

    private constructor(
        readonly target: HostsTarget,
        readonly pebble: Pebble,
    ) {}

    /** Makes the hosts and the CA, and a stack that is not deployed yet. */
    static async create(settings: PebbleSettings): Promise<AcmeOnHosts> {
        const keepalived = furtherImage("keepalived");
        const target = await HostsTarget.create(
            minioStore(),
            3,
            {
                nodeCount: "3",
                s3Host: S3_HOST,
                consoleHost: CONSOLE_HOST,
                floatingAddress: JSON.stringify({ address: FLOATING_ADDRESS, image: keepalived }),
            },
            { images: [keepalived] },
        );
        try {
            await target.hosts.load([furtherImage("lego"), furtherImage("pebble")]);
            await target.join();
            // Port 80 of this machine may be taken, and its ports are also checked for virtual hosts.
            const { httpPort } = target.deployment;
            const site = siteOn(target);
            const pebble = await Pebble.start(PUBLIC_HOSTS, { ...settings, httpPort }, () => Promise.resolve(site));
            const acme = new AcmeOnHosts(target, pebble);
            await acme.configure();
            return acme;
        } catch (error) {
            await target.remove();
            throw error;
        }
    }

    /** Sets `certificate.acme` of stack config, with changes. By default nothing is renewed: no client looks whether it is due. */
    async configure(changes: { [key: string]: unknown } = {}): Promise<void> {
        const { directoryUrl, trustedCertificatesFile: file, address } = this.pebble;
        const common = { termsAgreed: true, directoryUrl, trustedCertificates: { file }, nameServers: [address] };
        // The preflight asks at port 80.
        const others = { image: furtherImage("lego"), preflight: false, retryInterval: 2 };
        const acme = { ...common, ...others, ...changes };
        await this.target.deployment.configure({ certificate: JSON.stringify({ acme }) });
    }

    /** Name of a container or volume of the proxy on a host. */
    name(host: string, part: "acme" | "certificate" | "exchange" | "keepalived" | "proxy"): string {
        return `${this.target.deployment.clusterName}-${host}-${part}`;
    }

    /** Address of a host. */
    address(host: string): string {
        return this.target.hosts.hosts.find(({ name }) => name === host)?.address ?? "";
    }

    /** Makes both hostnames resolve to some hosts, or to an address where nothing is. */
    async resolve(...hosts: string[]): Promise<void> {
        await this.resolveTo(hosts.length === 0 ? [this.pebble.elsewhere] : hosts.map((host) => this.address(host)));
    }

    /** Makes both hostnames resolve to the floating address. */
    resolveToFloatingAddress(): Promise<void> {
        return this.resolveTo([FLOATING_ADDRESS]);
    }

    /** Moves the floating address from the host that has it to another one. Returns the name of that. */
    async moveFloatingAddress(): Promise<string> {
        const [before = ""] = await holdersOf(this.target);
        const keepalived = this.target.engine(before).docker.getContainer(this.name(before, "keepalived"));
        await keepalived.stop();
        let after: string | undefined;
        await waitUntil("another host has the floating address", async () => {
            [after] = await holdersOf(this.target);
            return after !== undefined && after !== before;
        });
        await keepalived.start();
        return after ?? "";
    }

    /** Serial number of the certificate that a client gets at the floating address. */
    async serialAtFloatingAddress(): Promise<string> {
        this.floatingSocket ??= this.openFloatingAddress();
        const path = await this.floatingSocket;
        const socket = connect({ path, servername: S3_HOST, rejectUnauthorized: false });
        try {
            await once(socket, "secureConnect");
            const certificate = socket.getPeerX509Certificate();
            return certificate === undefined ? "" : serialOf(certificate);
        } finally {
            socket.destroy();
        }
    }

    /** Serial number of the certificate that the proxy of a host serves. */
    async serial(host: string): Promise<string> {
        const printed = await this.target
            .engine(host)
            .exec(this.name(host, "proxy"), [
                "/bin/sh",
                "-c",
                `openssl s_client -connect 127.0.0.1:8443 -servername ${S3_HOST} < /dev/null 2> /dev/null | openssl x509 -noout -serial`,
            ]);
        return withoutZeros(printed.trim().replace("serial=", ""));
    }

    /**
     * Waits until hosts serve the same certificate.
     *
     * @param isWanted Whether a certificate counts, by its serial number. Default: any does.
     */
    async untilCommon(
        hosts: string[],
        isWanted: (serial: string) => boolean = () => true,
        seconds?: number,
    ): Promise<CommonCertificate> {
        /** Time when each host was first seen to serve a certificate, by its serial number. */
        const seen = new Map<string, Map<string, number>>();
        let found: CommonCertificate | undefined;
        await waitUntil(
            `${hosts.join(", ")} serve the same certificate`,
            async () => {
                const now = Date.now();
                for (const host of hosts) {
                    // A host that is starting serves none.
                    const serial = await this.serial(host).catch(() => "");
                    const times = seen.get(serial) ?? new Map<string, number>();
                    seen.set(serial, times);
                    times.set(host, times.get(host) ?? now);
                    if (serial !== "" && isWanted(serial) && times.size === hosts.length) {
                        const all = [...times.values()];
                        found = { serial, seconds: (Math.max(...all) - Math.min(...all)) / 1000 };
                    }
                }
                return found !== undefined;
            },
            seconds,
        );
        return found ?? { serial: "", seconds: 0 };
    }

    /** The log of a container of a host's proxy. */
    log(host: string, part: "acme" | "certificate" | "exchange"): Promise<string> {
        return this.target.engine(host).logs(this.name(host, part));
    }

    /** Lets this process reach the HTTPS port of the floating address, at a socket. */
    private async openFloatingAddress(): Promise<string> {
        const socket = join(mkdtempSync(join(tmpdir(), "floating-")), "https.sock");
        await this.target.hosts.relay(socket, this.target.deployment.httpsPort, [FLOATING_ADDRESS]);
        return socket;
    }

    private async resolveTo(addresses: string[]): Promise<void> {
        for (const hostname of PUBLIC_HOSTS) {
            await this.pebble.resolve(hostname, addresses);
        }
    }

    async remove(): Promise<void> {
        await this.pebble.remove();
        await this.target.remove();
    }
}

/** The host of the CA. Its containers use the host's own network. */
function siteOn(target: HostsTarget): PebbleSite {
    const { hosts } = target;
    const address = hosts.hosts.find(({ name }) => name === CA_PLACE)?.address ?? "";
    const folder = mkdtempSync(join(tmpdir(), "ca-"));
    const relays = new Map<number, Promise<string>>();
    const open = async (port: number) => {
        const socketPath = join(folder, `${port}.sock`);
        await hosts.relay(socketPath, port, [address]);
        return socketPath;
    };
    return {
        host: target.engine(CA_PLACE),
        address,
        elsewhere: address.replace(/\d+$/, "200"),
        reach: async (port) => {
            const opened = relays.get(port) ?? open(port);
            relays.set(port, opened);
            return { socketPath: await opened };
        },
        // The hosts are removed with everything on them.
        remove: () => Promise.resolve(),
    };
}
