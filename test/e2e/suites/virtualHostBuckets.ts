import {
    CreateBucketCommand,
    DeleteBucketCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    ListBucketsCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { exerciseAwsCli } from "../clients/awsCli";
import { exerciseBoto3 } from "../clients/boto3";
import { defaultClientFor, putStream, readRanges, recordHosts, useConditions } from "../clients/javascriptSdk";
import { makeCertificate } from "../../certificates";
import { ClientContainer } from "../harness/clientContainer";
import { get, requestPlain } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { openTlsSocket } from "../harness/rawConnection";
import type { Store } from "../harness/stores";

const [BUCKET, PATH_STYLE] = ["virtual", "path-style"];
const CONTAINER_BUCKETS = ["aws-cli", "boto3"];

/** Settings with which AWS's own tools name buckets in hostnames. Without them they do so only for endpoints of AWS. */
const VIRTUAL_STYLE = "[default]\ns3 =\n  addressing_style = virtual\n";

/** Buckets in hostnames, on one node of a store: with them, and before and after. */
export function virtualHostBucketsSuite(store: () => Store): void {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let hostname: string;
    /** With its default addressing. */
    let client: S3Client;
    let container: ClientContainer | undefined;
    let before: { proxy: string; node: string };

    const idOf = async (name: string) => (await host.inspect(name)).Id;
    const ids = async () => ({
        proxy: await idOf(`${deployment.clusterName}-proxy`),
        node: await idOf(outputs.nodeNames[0] ?? ""),
    });
    const urlOf = (name: string, path: string) => outputs.s3Endpoint.replace(hostname, name) + path;
    const status = async (name: string, path: string, headers: { [header: string]: string } = {}) =>
        (await get(outputs, urlOf(name, path), headers)).status;
    /** Names of the served certificate. */
    const served = async () => {
        const socket = await openTlsSocket(deployment.httpsPort, { servername: hostname });
        const names = socket.getPeerX509Certificate()?.subjectAltName ?? "";
        socket.destroy();
        return names.split(", ").map((name) => name.replace("DNS:", ""));
    };

    beforeAll(async () => {
        deployment = await Deployment.create(store().config);
        await deployment.up();
        outputs = await deployment.outputs();
        hostname = new URL(outputs.s3Endpoint).hostname;
        before = await ids();
    }, 240_000);

    afterAll(async () => {
        client.destroy();
        await container?.remove();
        await deployment.remove();
    }, 120_000);

    test("without the setting, a bucket's hostname is unknown", async () => {
        expect(await status(hostname, "/", { Host: `${BUCKET}.${hostname}` })).toBe(404);
        expect(await served()).toEqual([hostname, "console.localhost"]);
    });

    test("the setting replaces the node, and not the proxy", async () => {
        await deployment.configure({ virtualHostBuckets: "true" });
        await deployment.up();
        outputs = await deployment.outputs();
        client = defaultClientFor(outputs, {});
        const after = await ids();
        expect(after.proxy).toBe(before.proxy);
        expect(after.node).not.toBe(before.node);
        expect(await served()).toEqual([hostname, "console.localhost", `*.${hostname}`]);
    }, 240_000);

    test("AWS SDK for JavaScript with its default addressing", async () => {
        const hosts = recordHosts(client);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "ä folder/+1%", Body: "content" }));
        const listed = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: "ä folder/" }));
        expect(listed.Contents?.map(({ Key: key }) => key)).toEqual(["ä folder/+1%"]);
        expect([...hosts]).toEqual([`${BUCKET}.${hostname}`]);
        const { Buckets: buckets } = await client.send(new ListBucketsCommand({}));
        expect(buckets?.map(({ Name: name }) => name)).toEqual([BUCKET]);
        expect([...hosts]).toEqual([`${BUCKET}.${hostname}`, hostname]);
        client.middlewareStack.remove("recordHosts");

        const signed = await getSignedUrl(client, new GetObjectCommand({ Bucket: BUCKET, Key: "ä folder/+1%" }));
        expect(new URL(signed).hostname).toBe(`${BUCKET}.${hostname}`);
        expect((await get(outputs, signed)).body.toString()).toBe("content");
        await putStream(client, BUCKET);
        await useConditions(client, BUCKET);
        await readRanges(client, BUCKET);
    }, 120_000);

    test("AWS's own tools that are set to virtual-host style", async () => {
        const names = CONTAINER_BUCKETS.map((bucket) => `${bucket}.${hostname}`);
        container = await ClientContainer.start(deployment, outputs, names);
        await container.shell(`mkdir -p ~/.aws; printf '${VIRTUAL_STYLE.replaceAll("\n", "\\n")}' > ~/.aws/config`);
        expect(await container.run("aws", "s3", "presign", "s3://aws-cli/key")).toContain(`//aws-cli.${hostname}:`);
        await exerciseAwsCli(container, "aws-cli");
        await exerciseBoto3(container, "boto3");
    }, 240_000);

    test("path style reaches the same objects", async () => {
        const byPath = defaultClientFor(outputs);
        await byPath.send(new CreateBucketCommand({ Bucket: PATH_STYLE }));
        await byPath.send(new PutObjectCommand({ Bucket: PATH_STYLE, Key: "key", Body: "by path" }));
        const got = await client.send(new GetObjectCommand({ Bucket: PATH_STYLE, Key: "key" }));
        expect(await got.Body?.transformToString()).toBe("by path");
        await client.send(new DeleteObjectCommand({ Bucket: PATH_STYLE, Key: "key" }));
        await client.send(new DeleteBucketCommand({ Bucket: PATH_STYLE }));
        byPath.destroy();
    });

    test("no bucket's hostname opens a closed path", async () => {
        for (const path of store().closedPaths) {
            expect([path, await status(`${BUCKET}.${hostname}`, path)]).toEqual([path, 403]);
            const [, first = "", ...rest] = path.split("/");
            if (/^[a-z0-9][a-z0-9-]+[a-z0-9]$/.test(first)) {
                const [name, inside] = [`${first}.${hostname}`, `/${rest.join("/")}`];
                expect([name, inside, await status(name, inside)]).toEqual([name, inside, 403]);
            }
        }
    });

    test("other spellings of hostnames are refused, since stores read them as they are", async () => {
        const statusAs = (name: string) => status(hostname, "/", { Host: `${name}:${deployment.httpsPort}` });
        expect(await statusAs(hostname.toUpperCase())).toBe(400);
        expect(await statusAs(`${hostname}.`)).toBe(400);
        for (const name of [BUCKET.toUpperCase(), `a.${BUCKET}`, "ab", "-abc", "a_bc"]) {
            expect([name, await statusAs(`${name}.${hostname}`)]).toEqual([name, 404]);
        }
    });

    test("port 80 redirects a bucket's hostname to itself", async () => {
        const name = `${BUCKET}.${hostname}`;
        expect(await requestPlain(deployment.httpPort, "GET", "/key?a=b", name)).toEqual({
            status: 301,
            location: `https://${name}:${deployment.httpsPort}/key?a=b`,
        });
    });

    test("a second update and a refresh change nothing", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 240_000);

    test("what it doesn't go together with is refused in preview", async () => {
        const certificate = await makeCertificate([hostname, `console.${hostname}`]);
        const pem = certificate.certificate + certificate.key;
        await deployment.configure({ consoleHost: `console.${hostname}`, certificate: JSON.stringify({ pem }) });
        const refusal = await deployment.previewFailing();
        expect(refusal).toContain(
            `consoleHost: "console.${hostname}" is below "${hostname}", where virtualHostBuckets gives hostnames to buckets`,
        );
        expect(refusal).toContain(
            `certificate.pem: doesn't cover *.${hostname}: give one certificate for ${hostname}, `,
        );
        await deployment.configure({ consoleHost: "console.localhost" });
        await deployment.unset("certificate");
    }, 60_000);

    test("without the setting again, only path style works", async () => {
        await deployment.configure({ virtualHostBuckets: "false" });
        await deployment.up();
        const byPath = defaultClientFor(await deployment.outputs());
        const got = await byPath.send(new GetObjectCommand({ Bucket: BUCKET, Key: "ä folder/+1%" }));
        expect(await got.Body?.transformToString()).toBe("content");
        byPath.destroy();
        expect(await status(hostname, "/", { Host: `${BUCKET}.${hostname}` })).toBe(404);
        expect(await served()).toEqual([hostname, "console.localhost"]);
    }, 240_000);
}
