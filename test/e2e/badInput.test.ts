import { createServer, type Server } from "node:net";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../certificates";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";

describe("invalid input is refused in preview, with all problems at once, before anything is created", () => {
    const folder = mkdtempSync(join(tmpdir(), "bad-input-"));
    let deployment: Deployment;

    beforeEach(async () => {
        deployment = await Deployment.create({});
    });

    afterEach(async () => {
        expect(await new DockerHost().namesOf(deployment.clusterName)).toEqual([]);
        await deployment.remove();
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    const expectRefused = async (config: { [key: string]: string }, expected: string[]) => {
        await deployment.configure(config);
        const failure = await deployment.previewFailing();
        for (const text of expected) {
            expect(failure).toContain(text);
        }
        // The CLI's error contains the output twice.
        expect([...new Set(failure.match(/^ +- .*$/gm))]).toHaveLength(expected.length);
    };

    test("values of the wrong type or format", async () => {
        await expectRefused(
            {
                profile: "ceph",
                nodeCount: "three",
                drivesPerNode: "0",
                s3Host: "1.2.3.4",
                consoleHost: "not a hostname",
                httpPort: "0",
                httpsPort: "70000",
                publishAddress: "everywhere",
                accessKey: "ab",
                secretKey: "with a space",
                egress: "perhaps",
                certificate: JSON.stringify({
                    pem: { file: "/no/such/file.pem" },
                    acme: { termsAgreed: "yes", nameServers: "1.1.1.1" },
                }),
                nodecount: "4",
            },
            [
                'profile: "ceph" is not known: give one of service, rustfs, minio',
                'nodeCount: "three" is not a number',
                "drivesPerNode: 0 is not allowed: give an integer from 1 to 64",
                's3Host: "1.2.3.4" is an IP address',
                'consoleHost: "not a hostname" is not a hostname',
                "httpPort: 0 is not allowed: give an integer from 1 to 65535",
                "httpsPort: 70000 is not allowed: give an integer from 1 to 65535",
                'publishAddress: "everywhere" is not an IP address',
                "accessKey: has 2 characters: give at least 3",
                "secretKey: holds a space",
                'egress: "perhaps" is not allowed: give true or false',
                'certificate.pem: "/no/such/file.pem" can\'t be read (ENOENT)',
                'certificate.acme.termsAgreed: "yes" is not allowed: give true or false',
                'certificate.acme.nameServers: "1.1.1.1" is not a list',
                "nodecount: is not a config key of this program: did you mean nodeCount?",
            ],
        );
    }, 60_000);

    test.each(["0", "-1", "1.5"])(
        "nodeCount %s",
        (nodeCount) => expectRefused({ nodeCount }, [`nodeCount: ${nodeCount} is not allowed`]),
        60_000,
    );

    test("a PEM that doesn't match, and hostnames that differ only in case", async () => {
        const { certificate, key } = await makeCertificate(["s3.example.com"]);
        const file = join(folder, "key-first.pem");
        writeFileSync(file, key + certificate);
        const own = JSON.stringify({ pem: { file } });
        await expectRefused({ certificate: own, s3Host: "s3.example.com", consoleHost: "console.example.com" }, [
            "certificate.pem: holds its private key before the end of the chain",
            "certificate.pem: doesn't cover console.example.com",
        ]);
        await deployment.unset("certificate");
        await expectRefused({ consoleHost: "S3.Example.Com" }, ['consoleHost: "S3.Example.Com" is s3Host already']);
    }, 60_000);

    test("ports, networks and folders that can't be used", async () => {
        const full = join(folder, "full");
        mkdirSync(full);
        writeFileSync(join(full, "photo.jpg"), "");
        const link = join(folder, "link");
        symlinkSync(full, link);
        const holder = await listenAt(deployment.httpPort);
        const networkOf = (part: string, subnet: string) =>
            new DockerHost().docker.createNetwork({
                Name: `${deployment.clusterName}-${part}`,
                IPAM: { Driver: "default", Config: [{ Subnet: subnet }] },
            });
        const networks = [await networkOf("taken", "10.191.7.0/24"), await networkOf("public", "10.191.8.0/24")];
        try {
            await expectRefused(
                {
                    subnet: "10.191.7.128/26",
                    nodeCount: "4",
                    drivePaths: JSON.stringify([["/home"], [join(folder, "missing")], [full], [link]]),
                    cpus: "64",
                },
                [
                    `httpPort: ${deployment.httpPort} is taken by another program on 127.0.0.1`,
                    `subnet: "10.191.7.128/26" overlaps with 10.191.7.0/24 of the Docker network ${deployment.clusterName}-taken`,
                    `storeName: "${deployment.clusterName}" needs a Docker network ${deployment.clusterName}-public, and one of that name exists`,
                    'drivePaths[0][0]: "/home" is a folder of the system',
                    `drivePaths[1][0]: "${join(folder, "missing")}" is not a folder on this host`,
                    `drivePaths[2][0]: "${full}" holds 1 file(s) that no store wrote ("photo.jpg")`,
                    `drivePaths[3][0]: "${link}" (${full}) is the same folder as "${full}" of drivePaths[2][0]`,
                    "cpus: 64 is not allowed: the Docker daemon has",
                ],
            );
        } finally {
            await Promise.all(networks.map((network) => network.remove()));
            await new Promise((resolve) => holder.close(resolve));
        }
    }, 60_000);

    test("an address that doesn't belong to this host, and subnets that no bridge network can have", async () => {
        await expectRefused({ publishAddress: "198.51.100.1", subnet: "10.200.7.5/24", publicSubnet: "127.0.1.0/24" }, [
            'publishAddress: "198.51.100.1" is not an address of this host: use one of 127.0.0.1',
            'subnet: "10.200.7.5/24" is an address in a network, not the network: use 10.200.7.0/24',
            'publicSubnet: "127.0.1.0/24" is not allowed: it belongs to 127.0.0.0/8, loopback',
        ]);
    }, 60_000);

    test("two drives on one device, unless the config allows it", async () => {
        const one = mkdtempSync(join(tmpdir(), "bad-input-"));
        const other = mkdtempSync(join(tmpdir(), "bad-input-"));
        await expectRefused(
            {
                allowDrivesOnOneDevice: "false",
                nodeCount: "2",
                drivePaths: JSON.stringify([[one], [other]]),
            },
            [`drivePaths[1][0]: "${other}" is on the same device as "${one}"`],
        );
        rmSync(one, { recursive: true });
        rmSync(other, { recursive: true });
    }, 60_000);

    test("a Docker engine that doesn't answer, together with the other problems", async () => {
        await expectRefused({ "docker:host": "unix:///no/such/docker.sock", nodeCount: "0" }, [
            "dockerHost: Docker doesn't answer at unix:///no/such/docker.sock",
            "nodeCount: 0 is not allowed",
        ]);
        await deployment.unset("docker:host");
    }, 60_000);

    test("in an update: an image for the buckets' client that can't be pulled", async () => {
        await deployment.configure({ buckets: JSON.stringify({ logs: {} }), clientImage: "127.0.0.1:1/mc:1.0.0" });
        expect(await deployment.upFailing()).toMatch(
            /clientImage: the client's image 127\.0\.0\.1:1\/mc:1\.0\.0 isn't on the Docker daemon, and can't be pulled: .*refused/,
        );
    }, 60_000);
});

function listenAt(port: number): Promise<Server> {
    return new Promise((resolve) => {
        const server = createServer();
        server.listen(port, "127.0.0.1", () => resolve(server));
    });
}
