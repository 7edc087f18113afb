import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate, ownCertificate, type TestCertificate } from "../test/certificates";
import { s3ClientFor } from "../test/e2e/harness/clients";
import { Deployment, type DeploymentOutputs } from "../test/e2e/harness/deployment";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { freeClusterName, freePorts } from "../test/e2e/harness/freeResources";
import { testImages } from "../test/e2e/harness/testRun";
import type { ComposeArgs } from "./composeFile";
import { ComposeProject, prepareCompose } from "./composeProject";
import { prepareBenchImages } from "./images";
import { secondsOf, type BenchOptions, type PartResult } from "./measurement";
import { memoryOfUpdate } from "./processMemory";
import { alternate } from "./progress";

/** A store to deploy. */
interface Shape {
    name: string;
    nodes: number;
    drivesPerNode: number;
}

type Measure = (shape: Shape) => Promise<{ [metric: string]: number }>;

const SHAPES: Shape[] = [
    { name: "1 node", nodes: 1, drivesPerNode: 1 },
    { name: "4 nodes, 2 drives each", nodes: 4, drivesPerNode: 2 },
    { name: "8 nodes, 1 drive each", nodes: 8, drivesPerNode: 1 },
];
const PULUMI = "pulumi up";
const HOST = "s3.localhost";

/** The root keys of both deployments: given, so that neither has to be asked for them. */
const CREDENTIALS = { accessKey: "benchmark", secretKey: "a-secret-for-the-benchmark" };

/** Seconds after the end of a deployment within which an object has to be accepted. */
const OBJECT_SECONDS = 120;

/**
 * Measures the time from nothing to the first object, compared with Docker Compose and the store's own recipe; then an
 * update that changes nothing.
 */
export async function measureDeployment({ rounds, only }: BenchOptions): Promise<PartResult> {
    const { nginx } = await prepareBenchImages();
    const compose = await prepareCompose(new DockerHost().docker);
    const certificate = await makeCertificate([HOST, "console.localhost"]);
    const result: PartResult = {
        title: "Deployment: from nothing to the first object, beside Docker Compose",
        ours: PULUMI,
        metrics: [
            { name: "first object", unit: "seconds", better: "lower" },
            { name: "nothing to change", unit: "seconds", better: "lower" },
            { name: "preview", unit: "seconds", better: "lower" },
            { name: "refresh", unit: "seconds", better: "lower" },
            { name: "memory of the engine", unit: "MiB", better: "lower" },
            { name: "memory of the program", unit: "MiB", better: "lower" },
        ],
        measurements: [],
        notes: [
            "MinIO, images already there. `pulumi up --parallel 16` without preview, and `docker compose up --wait` of the " +
                "Compose file in MinIO's repository with as many nodes and drives, nginx as in its documents, and TLS besides. " +
                "The first object: until a PutObject of 1 KiB through the proxy succeeds, over TLS.",
            "The recipe asks a node for the first time after 5 s, and starts nginx with the nodes. The service contract has a node asked after " +
                "10 s, and the proxy started once all are healthy: Docker Compose by these rules is the third column.",
        ],
    };
    const subjects: { name: string; measure: Measure }[] = [
        { name: PULUMI, measure: (shape) => measurePulumi(shape, certificate) },
        ...(["recipe", "contract"] as const).map((rules) => ({
            name: `docker compose up --wait, the ${rules}`,
            measure: (shape: Shape) => measureCompose({ ...shape, rules }, compose, nginx, certificate),
        })),
    ];
    const points = SHAPES.filter(({ name }) => only?.test(name) ?? true);
    await alternate({ points, subjects, rounds, result }, (shape, { measure }) => measure(shape));
    return result;
}

async function measurePulumi(
    { nodes, drivesPerNode }: Shape,
    certificate: TestCertificate,
): Promise<{ [metric: string]: number }> {
    const deployment = await Deployment.create({
        ...CREDENTIALS,
        nodeCount: String(nodes),
        drivesPerNode: String(drivesPerNode),
        s3Host: HOST,
        certificate: ownCertificate(certificate),
    });
    try {
        let first = NaN;
        const { engine, program } = await memoryOfUpdate(async () => {
            first = await secondsOf(async () => {
                await deployment.up();
                const s3Endpoint = `https://${HOST}:${deployment.httpsPort}`;
                await putFirstObject({ s3Endpoint, caCertificate: certificate.issuer, ...CREDENTIALS });
            });
        });
        return {
            "first object": first,
            "nothing to change": await secondsOf(() => deployment.up()),
            preview: await secondsOf(() => deployment.preview()),
            refresh: await secondsOf(() => deployment.refresh()),
            "memory of the engine": engine,
            "memory of the program": program,
        };
    } finally {
        await deployment.remove();
    }
}

async function measureCompose(
    { nodes, drivesPerNode, rules }: Shape & Pick<ComposeArgs, "rules">,
    compose: string[],
    proxyImage: string,
    certificate: TestCertificate,
): Promise<{ [metric: string]: number }> {
    const [httpsPort] = await freePorts();
    const args = {
        name: await freeClusterName(),
        nodes,
        drivesPerNode,
        rules,
        storeImage: testImages().minio,
        proxyImage,
        httpsPort,
        ...CREDENTIALS,
    };
    const project = new ComposeProject(compose, args, certificate);
    try {
        const s3Endpoint = `https://${HOST}:${httpsPort}`;
        const first = await secondsOf(async () => {
            await project.up();
            await putFirstObject({ s3Endpoint, caCertificate: certificate.issuer, ...CREDENTIALS });
        });
        return { "first object": first, "nothing to change": await secondsOf(() => project.up()) };
    } finally {
        await project.remove();
    }
}

/** What a client needs to reach a store. */
type Access = Pick<DeploymentOutputs, "s3Endpoint" | "caCertificate" | "accessKey" | "secretKey">;

/** Writes an object, and retries until it succeeds. */
async function putFirstObject(access: Access): Promise<void> {
    const client = s3ClientFor(access as DeploymentOutputs);
    const limit = performance.now() + OBJECT_SECONDS * 1000;
    const attempt = async () => {
        await client.send(new CreateBucketCommand({ Bucket: "first" })).catch((error: unknown) => {
            // An earlier attempt has created it.
            if ((error as Error).name !== "BucketAlreadyOwnedByYou") {
                throw error;
            }
        });
        await client.send(new PutObjectCommand({ Bucket: "first", Key: "object", Body: Buffer.alloc(1024) }));
    };
    try {
        for (;;) {
            const failure = await attempt().then(
                () => undefined,
                (error: unknown) => error,
            );
            if (failure === undefined) {
                return;
            }
            if (performance.now() > limit) {
                throw new Error(`no object was taken within ${OBJECT_SECONDS} s`, { cause: failure });
            }
            await sleep(50);
        }
    } finally {
        client.destroy();
    }
}
