import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONSOLE_HOST, PUBLIC_HOSTS, S3_HOST } from "../harness/acmeStack";
import { Pebble, withoutZeros, type PebbleSettings, type PebbleSite } from "../harness/pebble";
import { minioStore } from "../harness/stores";
import { furtherImage } from "../harness/testRun";
import { HostsTarget } from "./hostsTarget";

/** Host of the test CA. It must not be one that a test kills. */
const CA_PLACE = "c";

/** Three virtual hosts with a store whose certificate is ordered from a test CA on one of them. */
export class AcmeOnHosts {
    private constructor(
        readonly target: HostsTarget,
        readonly pebble: Pebble,
    ) {}

    /** Makes the hosts and the CA, and a stack that is not deployed yet. */
    static async create(settings: PebbleSettings): Promise<AcmeOnHosts> {
        const target = await HostsTarget.create(minioStore(), 3, {
            nodeCount: "3",
            s3Host: S3_HOST,
            consoleHost: CONSOLE_HOST,
        });
        try {
            await target.hosts.load([furtherImage("lego"), furtherImage("pebble")]);
            await target.join();
            // Port 80 of this machine may be taken, and its ports are also checked for virtual hosts.
            const { httpPort } = target.deployment;
            const site = siteOn(target);
            const pebble = await Pebble.start(PUBLIC_HOSTS, { ...settings, httpPort }, () => Promise.resolve(site));
            await target.deployment.configure({
                acme: JSON.stringify({
                    termsAgreed: true,
                    directoryUrl: pebble.directoryUrl,
                    trustedCertificatesFile: pebble.trustedCertificatesFile,
                    nameServers: [pebble.address],
                    image: furtherImage("lego"),
                    // It asks at port 80.
                    preflight: false,
                    checkInterval: 1,
                    retryInterval: 2,
                }),
            });
            return new AcmeOnHosts(target, pebble);
        } catch (error) {
            await target.remove();
            throw error;
        }
    }

    /** Name of a container or volume of the front end on a host. */
    name(host: string, part: "acme" | "certificate" | "exchange" | "proxy"): string {
        return `${this.target.deployment.clusterName}-${host}-${part}`;
    }

    /** Address of a host. */
    address(host: string): string {
        return this.target.hosts.hosts.find(({ name }) => name === host)?.address ?? "";
    }

    /** Makes both hostnames resolve to some hosts, or to an address where nothing is. */
    async resolve(...hosts: string[]): Promise<void> {
        for (const hostname of PUBLIC_HOSTS) {
            await this.pebble.resolve(
                hostname,
                hosts.length === 0 ? this.pebble.elsewhere : hosts.map((host) => this.address(host)),
            );
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

    /** The serial number that all of these hosts serve; undefined if they serve different ones. */
    async commonSerial(...hosts: string[]): Promise<string | undefined> {
        const [first, ...others] = await Promise.all(hosts.map((host) => this.serial(host)));
        return others.every((other) => other === first) ? first : undefined;
    }

    /** The log of a container of a host's front end. */
    log(host: string, part: "acme" | "certificate" | "exchange"): Promise<string> {
        return this.target.engine(host).logs(this.name(host, part));
    }

    async remove(): Promise<void> {
        await this.pebble.remove();
        await this.target.remove();
    }
}

/** The host of the CA. Its containers use the host's own network. */
function siteOn(target: HostsTarget): PebbleSite {
    const { hosts } = target;
    const folder = mkdtempSync(join(tmpdir(), "ca-"));
    const relays = new Map<number, Promise<string>>();
    const open = async (port: number) => {
        const socketPath = join(folder, `${port}.sock`);
        await hosts.relay(socketPath, port, [CA_PLACE]);
        return socketPath;
    };
    const address = hosts.hosts.find(({ name }) => name === CA_PLACE)?.address ?? "";
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
