import * as pulumi from "@pulumi/pulumi";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HaproxyFrontEnd, ObjectStore, StorageCluster, url } from "../../components";
import { PROGRAM_ENVIRONMENT } from "../../tools/pulumi/programEnvironment";
import { freeClusterName, freePorts } from "./harness/freeResources";
import { testImages } from "./harness/testRun";
import { stepsOf } from "./inputs/inputsStack";

// A program that has created the two components itself, and then uses ObjectStore with their names.
describe("a program that uses ObjectStore in place of its two parts", () => {
    let name: string;
    const edge = { s3Host: "s3.localhost", consoleHost: "console.localhost", publishAddress: "127.0.0.1" };
    let folder: string;
    let stack: Stack;
    let program: () => pulumi.Inputs;
    let ports: { httpPort: number; httpsPort: number };

    /** Ids of the containers in the stack's state, by their name in the program. */
    const containers = async (): Promise<{ [resource: string]: string }> => {
        const { deployment } = (await stack.exportStack()) as {
            deployment: { resources: { urn: string; type: string; id: string }[] };
        };
        const found = deployment.resources.filter(({ type }) => type === "docker:index/container:Container");
        return Object.fromEntries(found.map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id]));
    };

    const twoComponents = () => {
        const { minio: image, haproxy } = testImages();
        const consoleUrl = url(edge.consoleHost, ports.httpsPort);
        const args = { clusterName: name, profile: "minio", image, consoleUrl, retainData: false };
        const store = new StorageCluster("store", args);
        new HaproxyFrontEnd("front-end", {
            ...{ ...edge, ...ports, frontEndName: name, image: haproxy, retainCertificates: false },
            cluster: store.endpoints,
        });
        return { volumeNames: store.volumeNames };
    };
    const oneComponent = () => {
        const { minio: image, haproxy: haproxyImage } = testImages();
        const { volumeNames, nodeNames } = new ObjectStore("objects", {
            ...{ ...edge, ...ports, storeName: name, profile: "minio", image, haproxyImage, retainData: false },
            partNames: { cluster: "store", frontEnd: "front-end" },
        });
        return { volumeNames, nodeNames };
    };

    beforeAll(async () => {
        name = await freeClusterName();
        const [httpPort, httpsPort] = await freePorts();
        ports = { httpPort, httpsPort };
        folder = mkdtempSync(join(tmpdir(), "part-names-"));
        program = twoComponents;
        stack = await LocalWorkspace.createStack(
            { stackName: "test", projectName: name, program: () => Promise.resolve(program()) },
            {
                workDir: folder,
                envVars: {
                    PULUMI_BACKEND_URL: `file://${folder}`,
                    PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
                    PULUMI_SKIP_UPDATE_CHECK: "true",
                    ...PROGRAM_ENVIRONMENT,
                },
            },
        );
        await stack.up();
        program = oneComponent;
    }, 300_000);

    afterAll(async () => {
        await stack.destroy();
        rmSync(folder, { recursive: true });
    }, 120_000);

    test("replaces nothing: the new component alone is created", async () => {
        const before = await containers();
        const expected = [{ operation: "create", resource: "objects", type: "docker-object-store:index:ObjectStore" }];
        const created = (steps: { operation: string; resource: string; type: string }[]) =>
            steps.filter(({ type }) => type !== "pulumi:pulumi:Stack");
        expect(created(await stepsOf((onEvent) => stack.preview({ onEvent })))).toEqual(expected);
        expect(created(await stepsOf((onEvent) => stack.up({ onEvent })))).toEqual(expected);
        expect(await containers()).toEqual(before);
    }, 300_000);

    test("changes nothing a second time, nor after a refresh", async () => {
        expect(await stepsOf((onEvent) => stack.up({ onEvent }))).toEqual([]);
        await stack.refresh();
        expect(await stepsOf((onEvent) => stack.preview({ onEvent }))).toEqual([]);
    }, 300_000);
});
