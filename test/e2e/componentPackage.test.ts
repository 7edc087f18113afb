import { createServer, type Server } from "node:http";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PROJECT } from "../../tools/paths";
import { makeCertificate } from "../certificates";
import { makeCheckoutFolder, type CheckoutFolder } from "./harness/checkoutFolder";
import { s3ClientFor } from "./harness/clients";
import { ComponentConsumer } from "./harness/componentConsumer";
import type { DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { freeClusterName } from "./harness/freeResources";
import { stackDefaults } from "./harness/stackDefaults";
import { testedEngine, testImages } from "./harness/testRun";
import { checksumOf, keepObject } from "./harness/traffic";

const PROGRAMS = join(PROJECT, "test", "e2e", "programs");
const TYPE = "docker-object-store:index";

/** Version of Pulumi's Python package. */
const PYTHON_SDK = "3.272.0";

/** A line of a Node.js stack trace. */
const STACK_LINE = /^\s*at .*:\d+:\d+\)?$/m;

const host = new DockerHost();
const clusterNames: string[] = [];
let checkout: CheckoutFolder;
let plugin: string;

beforeAll(() => {
    checkout = makeCheckoutFolder();
    plugin = join(checkout.project, "plugin");
});

afterAll(async () => {
    for (const clusterName of clusterNames) {
        await host.removeEverythingOf(clusterName);
    }
    rmSync(checkout.folder, { recursive: true, force: true });
}, 60_000);

const freeConfig = async () => {
    const clusterName = await freeClusterName();
    clusterNames.push(clusterName);
    return stackDefaults(clusterName);
};

const expectTraffic = async (outputs: DeploymentOutputs) => {
    const client = s3ClientFor(outputs);
    const checksum = await keepObject(client, "bucket", "key");
    expect(await checksumOf(client, "bucket", "key")).toBe(checksum);
    client.destroy();
};

describe("the component package in a YAML program", () => {
    let consumer: ComponentConsumer;
    let config: Awaited<ReturnType<typeof freeConfig>>;
    let squatter: Server;
    let planned: number;

    beforeAll(async () => {
        config = await freeConfig();
        consumer = new ComponentConsumer(
            "yaml-store",
            join(PROGRAMS, "yamlStore"),
            { name: "yaml" },
            checkout.pulumiHome,
        );
        // Pulumi reads it for the package too, but Pulumi's bundled compiler doesn't support all of its options.
        writeFileSync(join(consumer.folder, "tsconfig.json"), '{ "compilerOptions": { "module": "preserve" } }');
    });

    afterAll(() => consumer.remove(), 60_000);

    test("is added from the repository's folder, and its dependencies are installed and built", async () => {
        expect(consumer.pulumi("package", "add", plugin)).toContain("Added package");
        expect(parse(consumer.project())).toMatchObject({ packages: { "docker-object-store": plugin } });
        await consumer.configure(
            Object.fromEntries(
                Object.entries(config).filter(
                    ([key]) => !["profile", "publishAddress", "allowDrivesOnOneDevice"].includes(key),
                ),
            ),
            { rootKey: "a-root-key-of-yaml" },
        );
    }, 180_000);

    test("refuses invalid input in preview, each problem by name, without a stack trace", async () => {
        await consumer.configure({ nodeCount: "99", storeName: "Not_Allowed" });
        const failure = await consumer.failing("preview");
        expect(failure).toContain(`${TYPE}:ObjectStore resource 'store' has a problem`);
        expect(failure).toContain('storeName: "Not_Allowed" is not allowed');
        expect(failure).toContain("nodeCount: 99 is not allowed");
        expect(failure).not.toMatch(STACK_LINE);
        expect(failure).not.toContain("a-root-key-of-yaml");
        await consumer.configure({ nodeCount: "1", storeName: String(config["storeName"]) });
    }, 60_000);

    test("refuses by name a secret that is only known in the update, and doesn't show it", async () => {
        await consumer.configure({}, { rootKey: "a bad root key of yaml" });
        const failures = [await consumer.failing("preview"), await consumer.failing("up")];
        await consumer.configure({}, { rootKey: "a-root-key-of-yaml" });
        for (const failure of failures) {
            expect(failure).toContain("accessKey: holds a space");
            expect(failure).not.toContain("a bad root key of yaml");
            expect(failure).not.toMatch(STACK_LINE);
        }
        expect(await host.namesOf(String(config["storeName"]))).toEqual([]);
    }, 90_000);

    test("refuses what the engine can't provide, in an update too, before anything is created", async () => {
        squatter = createServer();
        await new Promise<void>((resolve) => squatter.listen(Number(config["httpsPort"]), "127.0.0.1", resolve));
        const failures = [await consumer.failing("preview"), await consumer.failing("up")];
        await new Promise((resolve) => squatter.close(resolve));
        for (const failure of failures) {
            expect(failure).toContain(`httpsPort: ${config["httpsPort"]} is taken by another program on 127.0.0.1`);
            expect(failure).not.toMatch(STACK_LINE);
        }
        expect(await host.namesOf(String(config["storeName"]))).toEqual([]);
    }, 90_000);

    test("previews every resource, and creates none", async () => {
        const { create = 0, same = 0 } = (await consumer.preview()).changeSummary;
        planned = create + same;
        expect(create).toBeGreaterThan(20);
        expect(await host.namesOf(String(config["storeName"]))).toEqual([]);
    }, 60_000);

    test("deploys a store that serves S3, and reports its progress", async () => {
        const { stdout } = await consumer.up();
        expect(stdout).toContain(`waiting for ${config["storeName"]}-pool1-node1 to be healthy`);
        const made = consumer.resources().filter(({ type }) => !type.startsWith("pulumi:providers:"));
        expect(made.map(({ urn }) => urn)).toHaveLength(planned);
        const outputs = await consumer.outputs();
        expect(outputs.accessKey).toBe("a-root-key-of-yaml");
        await expectTraffic(outputs);
    }, 120_000);

    test("keeps configured and generated secrets out of plain state", async () => {
        const state = consumer.state();
        const { secretKey, accessKey } = await consumer.outputs();
        expect(state).not.toContain(secretKey);
        expect(state).not.toContain(accessKey);
        expect(state).toContain(`${config["storeName"]}-pool1-node1`);
    });

    test("changes nothing in a second update and a refresh", async () => {
        const { summary } = await consumer.up();
        expect(Object.keys(summary.resourceChanges ?? {})).toEqual(["same"]);
        expect(Object.keys(await consumer.refresh())).toEqual(["same"]);
    }, 90_000);

    test("leaves nothing behind after a destroy", async () => {
        await consumer.destroy();
        expect(await host.namesOf(String(config["storeName"]))).toEqual([]);
    }, 90_000);
});

describe("the component package in a Python program", () => {
    let consumer: ComponentConsumer;
    let clusterName: string;
    let issuer: string;

    beforeAll(async () => {
        const { image, haproxyImage, httpPort, httpsPort, ...config } = await freeConfig();
        clusterName = String(config["storeName"]);
        const runtime = { name: "python", options: { virtualenv: "venv" } };
        consumer = new ComponentConsumer("python-store", join(PROGRAMS, "pythonStore"), runtime, checkout.pulumiHome);
        consumer.pulumi("package", "gen-sdk", "--language", "python", "--local", "--out", "sdks", plugin);
        consumer.write({ name: consumer.name, runtime, packages: { "docker-object-store": plugin } });
        consumer.run("python3", "-m", "venv", "venv");
        const pip = ["install", "--quiet", "--disable-pip-version-check"];
        consumer.run(join("venv", "bin", "pip"), ...pip, `pulumi==${PYTHON_SDK}`, "./sdks/python");
        const { certificate, key, issuer: ca } = await makeCertificate(["s3.localhost", "console.localhost"]);
        issuer = ca;
        await consumer.configure(
            {
                ...({ clusterName, image, haproxyImage, httpPort, httpsPort } as { [key: string]: string }),
                dockerHost: testedEngine(),
                dockerVersion: dockerVersion(),
                readyTimeout: "12",
            },
            { rootKey: "a-root-key-of-python", siteName: "a-site-of-python", certificatePem: certificate + key },
        );
    }, 300_000);

    afterAll(() => consumer.remove(), 60_000);

    const onDrive = (script: string) =>
        host.runOnVolumes(testImages().minio, { "/drive": `${clusterName}-pool1-node1-drive1` }, script);

    test("says why a node doesn't get healthy, without a stack trace, and creates no proxy", async () => {
        await host.docker.createVolume({ Name: `${clusterName}-pool1-node1-drive1` });
        await onDrive("mkdir -p /drive/.minio.sys && echo broken > /drive/.minio.sys/format.json");
        const failure = await consumer.failing("up");
        await onDrive("rm -r /drive/.minio.sys");
        expect(failure).toContain(`${clusterName}-pool1-node1 is not healthy after 12 s`);
        expect(failure).toContain("Its last log lines");
        expect(failure).not.toMatch(STACK_LINE);
        expect(await host.namesOf(`${clusterName}-proxy`)).toEqual([]);
    }, 120_000);

    test("deploys a store that serves S3 with the configured certificate, once the config is corrected", async () => {
        await consumer.configure({ readyTimeout: "120" });
        await consumer.up();
        const outputs = await consumer.outputs();
        expect(outputs).toMatchObject({ secretKey: "a-root-key-of-python", caCertificate: "", firstServer: "node1" });
        await expectTraffic({ ...outputs, caCertificate: issuer });
    }, 120_000);

    test("keeps secrets out of plain state, also those nested in args", () => {
        const state = consumer.state();
        ["a-root-key-of-python", "a-site-of-python", "PRIVATE KEY"].forEach((secret) =>
            expect(state).not.toContain(secret),
        );
    });

    test("passes on the options provider, protect and dependsOn", () => {
        const resources = consumer.resources();
        const ofType = (type: string) => resources.filter((resource) => resource.type === type);
        const containers = ofType("docker:index/container:Container");
        expect(containers.length).toBeGreaterThan(2);
        containers.forEach(({ provider }) => expect(provider).toContain("pulumi:providers:docker::engine::"));
        const [store] = ofType(`${TYPE}:StorageCluster`);
        const [proxy] = ofType(`${TYPE}:HaproxyFrontEnd`);
        expect(store?.protect).toBe(true);
        expect(proxy?.protect ?? false).toBe(false);
        expect(proxy?.dependencies).toContain(store?.urn);
    });

    test("changes nothing in a second update", async () => {
        const { summary } = await consumer.up();
        expect(Object.keys(summary.resourceChanges ?? {})).toEqual(["same"]);
    }, 90_000);

    test("is not destroyed while it is protected; afterwards it leaves nothing behind", async () => {
        expect(await consumer.failing("destroy")).toContain("protected");
        expect(await host.namesOf(`${clusterName}-pool1-node1`)).not.toEqual([]);
        consumer.pulumi("state", "unprotect", "--all", "--yes");
        await consumer.destroy();
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 120_000);
});

/** Version of the Docker provider that is installed on this machine. */
function dockerVersion(): string {
    const manifest = readFileSync(join(PROJECT, "node_modules", "@pulumi", "docker", "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
}
