import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreHost } from "../../../components";
import { VirtualHosts } from "../../../tools/playground/virtualHosts";
import { makeCertificate, type TestCertificate } from "../../certificates";
import { startRelay } from "../harness/relay";
import { SshServer } from "../harness/sshServer";

/** Port of an engine by TLS. */
const TLS_PORT = 2376;

/** Folder of the engine's own certificates. */
const ENGINE_TLS = "engine";

/** Three virtual hosts whose engines are reached in every way: at a socket, by ssh, and by TCP with TLS. */
export class ReachedHosts {
    private constructor(
        readonly virtual: VirtualHosts,
        readonly ssh: SshServer,
        /** The hosts, as stack config names them. */
        readonly hosts: StoreHost[],
        private readonly relay: Server,
        private readonly folder: string,
    ) {}

    static async create(): Promise<ReachedHosts> {
        const folder = mkdtempSync(join(tmpdir(), "reached-"));
        const certPath = await writeTls(folder);
        const virtual = await VirtualHosts.create({
            count: 3,
            prefix: `hosts-${randomBytes(3).toString("hex")}`,
            folder: join(folder, "hosts"),
        });
        try {
            const ssh = await SshServer.start([join(folder, "hosts")]);
            const inside = join(folder, "tls.sock");
            // Only the third host has a listener at this port.
            await virtual.relay(inside, TLS_PORT);
            const relay = await startRelay({ host: "127.0.0.1", port: 0 }, { path: inside });
            const [a, b, c] = virtual.hosts as [StoreHost, StoreHost, StoreHost];
            const socketOf = ({ dockerHost }: StoreHost) => dockerHost.replace("unix://", "");
            const { port } = relay.address() as AddressInfo;
            const hosts = [
                a,
                { ...b, dockerHost: ssh.urlOf(socketOf(b)) },
                { ...c, dockerHost: `tcp://127.0.0.1:${port}`, certPath, socketPath: socketOf(c) },
            ];
            return new ReachedHosts(virtual, ssh, hosts, relay, folder);
        } catch (error) {
            await virtual.remove();
            throw error;
        }
    }

    /** Certificates of another CA than the one of the third host's engine. */
    get wrongCertPath(): string {
        return join(this.folder, ENGINE_TLS);
    }

    async remove(): Promise<void> {
        this.relay.close();
        await this.virtual.remove();
        await this.ssh.remove();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/**
 * Writes the certificates of the third host's engine and of its client, and the engine's configuration, which verifies
 * clients. Returns the client's folder.
 */
async function writeTls(folder: string): Promise<string> {
    const host = join(folder, "hosts", "3");
    const [server, client] = [await makeCertificate(["127.0.0.1"]), await makeCertificate(["a client"])];
    const own = writeCertificates(join(folder, ENGINE_TLS), server, client.issuer);
    mkdirSync(host, { recursive: true });
    writeFileSync(
        join(host, "daemon.json"),
        JSON.stringify({
            hosts: [`unix://${join(host, "docker.sock")}`, `tcp://0.0.0.0:${TLS_PORT}`],
            tlsverify: true,
            tlscacert: join(own, "ca.pem"),
            tlscert: join(own, "cert.pem"),
            tlskey: join(own, "key.pem"),
        }),
    );
    return writeCertificates(join(folder, "client"), client, server.issuer);
}

/** Writes a certificate with its key, and the CA of the other side. */
function writeCertificates(folder: string, { certificate, key }: TestCertificate, ca: string): string {
    mkdirSync(folder);
    writeFileSync(join(folder, "ca.pem"), ca);
    writeFileSync(join(folder, "cert.pem"), certificate);
    writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 });
    return folder;
}
