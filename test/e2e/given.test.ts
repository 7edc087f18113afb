import { X509Certificate } from "node:crypto";
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { DockerEngine } from "../../components/docker/engine";
import type { EngineInfo } from "../../components/docker/model";
import { hostId } from "../../components/docker/hostIds";
import { localHost } from "../../components/docker/localHost";
import { makeCertificate, type TestCertificate } from "../certificates";
import { s3ClientFor } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { testImages } from "./harness/testRun";
import { checksumOf, keepObject } from "./harness/traffic";

describe("what a user gives is what is used", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "given-"));
    const certificateFile = join(folder, "certificate.pem");
    const drive = mkdtempSync(join(tmpdir(), "given-drive-"));
    let certificate: TestCertificate;
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let engine: EngineInfo;
    let firstUpdate: string;

    beforeAll(async () => {
        engine = await (await DockerEngine.connect()).info();
        if (engine.rootless || engine.remapsUsers) {
            // The subordinate users of a test's rootless engine are in a root folder of its own.
            const data = statSync(engine.dataFolder);
            const [user, group] = await Promise.all([
                hostId("user", 0, engine, localHost),
                hostId("group", 0, engine, localHost),
            ]);
            chownSync(drive, user ?? data.uid, group ?? data.gid);
        }
        certificate = await makeCertificate(["s3.example.com", "console.example.com"]);
        writeFileSync(certificateFile, certificate.certificate + certificate.issuer + certificate.key);
        const additional = join(folder, "additional.pem");
        writeFileSync(additional, certificate.issuer);
        deployment = await Deployment.create({
            s3Host: "s3.example.com",
            consoleHost: "console.example.com",
            certificate: JSON.stringify({ pem: { file: certificateFile } }),
            accessKey: "given-access-key",
            secretKey: "given-secret-key",
            environment: JSON.stringify({ MINIO_REGION_NAME: "eu-central-1" }),
            secretEnvironment: JSON.stringify({ MINIO_SITE_NAME: "it's $HOME; a secret" }),
            additionalTrustedCertificates: JSON.stringify({ file: additional }),
            drivePaths: JSON.stringify([[drive]]),
            egress: "true",
            memory: "512",
            cpus: "1",
            openFiles: "4096",
        });
        ({ output: firstUpdate } = await deployment.up());
        outputs = { ...(await deployment.outputs()), caCertificate: certificate.issuer };
    }, 120_000);

    afterAll(async () => {
        await deployment.remove();
        // The store's files belong to its user; only root can remove them.
        await host.runOnVolumes(testImages().minio, { "/drive": drive }, "rm -rf /drive/* /drive/.[!.]*");
        rmSync(drive, { recursive: true });
        rmSync(folder, { recursive: true });
    }, 120_000);

    const node = () => `${deployment.clusterName}-pool1-node1`;

    test("the certificate with its chain in order, and the credentials", async () => {
        expect((await deployment.outputs()).caCertificate).toBe("");
        const served = await servedCertificate(deployment.httpsPort, certificate.issuer);
        expect(served.subject.CN).toBe("s3.example.com");
        expect(served.issuerCertificate.subject.CN).toBe("a CA for tests");
        const client = s3ClientFor(outputs, { accessKeyId: "given-access-key", secretAccessKey: "given-secret-key" });
        const checksum = await keepObject(client, "given", "object");
        expect(await checksumOf(client, "given", "object")).toBe(checksum);
    }, 60_000);

    test("files of mode 600, owned by the user that reads them", async () => {
        const stat = (container: string, path: string) => host.exec(container, ["stat", "-L", "-c", "%a %u", path]);
        const configuration = "/usr/local/etc/haproxy/current";
        const proxy = `${deployment.clusterName}-proxy`;
        expect((await stat(proxy, `${configuration}/certificate.pem`)).trim()).toBe("600 99");
        expect((await stat(proxy, `${configuration}/haproxy.cfg`)).trim()).toBe("600 99");
        expect((await stat(node(), "/run/store/current/environment")).trim()).toBe("600 1000");
    });

    test("the drive's folder", () => {
        expect(readdirSync(drive).sort()).toEqual([".minio.sys", "given"]);
    });

    test("environment variables, plain and secret, with any characters in their values", async () => {
        const inspected = JSON.stringify(await host.inspect(node()));
        expect(inspected).toContain("MINIO_REGION_NAME=eu-central-1");
        expect(inspected).not.toContain("a secret");
        const environment = await host.environmentOf(node());
        expect(environment).toContain("\nMINIO_SITE_NAME=it's $HOME; a secret\n");
    });

    test("trusted certificates in addition to those of the image", async () => {
        const environment = await host.environmentOf(node());
        // The files of the version that the container was created for.
        const path = /^SSL_CERT_FILE=(\/run\/store\/of-[0-9a-f]+\/ca-bundle\.crt)$/m.exec(environment)?.[1];
        const bundle = await host.exec(node(), ["cat", path ?? environment]);
        expect(bundle).toContain(certificate.issuer.trim());
        expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
    });

    test("limits that the engine ignores are warned of, and no others", () => {
        const ignored = [
            engine.limitsMemory ? [] : ["memory"],
            engine.limitsCpus || engine.hasControlGroups ? [] : ["cpus"],
        ].flat();
        const warned = /warning: (.*): no effect, since the engine/.exec(firstUpdate)?.[1] ?? "";
        expect(warned).toBe(ignored.join(", "));
    });

    test("a second network for the store's outgoing requests", async () => {
        const { NetworkSettings: networks } = await host.inspect(node());
        expect(Object.keys(networks.Networks).sort()).toEqual([
            `${deployment.clusterName}-egress`,
            `${deployment.clusterName}-nodes`,
        ]);
    });

    test("and nothing changes in a second update, nor after a refresh", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 60_000);

    test("another certificate is loaded without a replacement of the proxy", async () => {
        const before = (await host.inspect(`${deployment.clusterName}-proxy`)).Id;
        const other = await makeCertificate(["s3.example.com", "console.example.com"]);
        writeFileSync(certificateFile, other.certificate + other.issuer + other.key);
        await deployment.up();
        const { fingerprint256 } = await servedCertificate(deployment.httpsPort, other.issuer);
        expect(fingerprint256).toBe(new X509Certificate(other.certificate).fingerprint256);
        expect((await host.inspect(`${deployment.clusterName}-proxy`)).Id).toBe(before);
    }, 60_000);
});

/** The certificate that the proxy serves to a client that trusts one CA. */
function servedCertificate(
    port: number,
    ca: string,
): Promise<PeerCertificate & { issuerCertificate: PeerCertificate }> {
    return new Promise((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port, servername: "s3.example.com", ca }, () => {
            const served = socket.getPeerCertificate(true);
            socket.destroy();
            resolve(served);
        });
        socket.on("error", reject);
    });
}
