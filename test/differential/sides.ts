import { CreateBucketCommand, type S3Client } from "@aws-sdk/client-s3";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "./protocol";
import { makeCertificate } from "../certificates";
import { s3ClientFor } from "../e2e/harness/clients";
import { Deployment, type DeploymentOutputs } from "../e2e/harness/deployment";
import { DockerHost } from "../e2e/harness/dockerHost";
import type { Store } from "../e2e/harness/stores";
import { ClientProcess } from "./clientProcess";
import type { Client, ClientPrograms } from "./clients/clientPrograms";
import { differencesOf, type Difference } from "./comparison";
import { startNodeDoor } from "./nodeDoor";
import { lostObjects, readBackCommands } from "./readBack";
import { play, type Played } from "./sequencePlay";

const EDGE_ADDRESS = "127.0.0.1";
/** Clients reach the node at the same name and port as the edge, at another address. */
const NODE_ADDRESS = "127.0.0.2";
const S3_PORT = 9000;

/** What came of a sequence at both. */
export interface Comparison {
    edge: Played[];
    node: Played[];
    differences: Difference[];
}

/** A deployment with one node, its edge, and a way to the node past the edge. */
export class Sides {
    private buckets = 0;
    private readonly admin: S3Client;

    private constructor(
        private readonly deployment: Deployment,
        private readonly outputs: DeploymentOutputs,
        private readonly door: Server,
        private readonly folder: string,
        private readonly programs: ClientPrograms,
    ) {
        this.admin = s3ClientFor(outputs);
    }

    static async deploy(store: Store, programs: ClientPrograms): Promise<Sides> {
        const deployment = await Deployment.create(store.config);
        const folder = mkdtempSync(join(tmpdir(), "differential-"));
        try {
            await deployment.up();
            const outputs = await deployment.outputs();
            const [node = ""] = outputs.nodeNames;
            const { NetworkSettings: settings } = await new DockerHost().inspect(node);
            const address = settings.Networks[`${deployment.clusterName}-nodes`]?.IPAddress ?? "";
            const certificate = await makeCertificate([new URL(outputs.s3Endpoint).hostname]);
            writeFileSync(join(folder, "ca.pem"), outputs.caCertificate.trimEnd() + "\n" + certificate.issuer);
            const from = { host: NODE_ADDRESS, port: deployment.httpsPort };
            const door = await startNodeDoor(from, { host: address, port: S3_PORT }, certificate);
            return new Sides(deployment, outputs, door, folder, programs);
        } catch (error) {
            await deployment.remove();
            throw error;
        }
    }

    /** Starts a client's process for each side. */
    clients({ name, protocol }: Client): { edge: ClientProcess; node: ClientProcess } {
        const command = this.programs[name];
        const ca = join(this.folder, "ca.pem");
        const variables = {
            S3_ENDPOINT: this.outputs.s3Endpoint,
            AWS_ACCESS_KEY_ID: this.outputs.accessKey,
            AWS_SECRET_ACCESS_KEY: this.outputs.secretKey,
            AWS_CA_BUNDLE: ca,
            NODE_EXTRA_CA_CERTS: ca,
            // The SDK warns of old versions of Node.js.
            NODE_NO_WARNINGS: "1",
            SSL_CERT_FILE: ca,
        };
        return {
            edge: new ClientProcess(command, { ...variables, S3_ADDRESS: EDGE_ADDRESS, S3_PROTOCOL: protocol }),
            node: new ClientProcess(command, { ...variables, S3_ADDRESS: NODE_ADDRESS, S3_PROTOCOL: "HTTP/1.1" }),
        };
    }

    /** Plays a sequence at both sides at once, each in a new bucket, and reads back what it wrote. */
    async compare(clients: { edge: ClientProcess; node: ClientProcess }, commands: Command[]): Promise<Comparison> {
        const number = String(this.buckets++).padStart(6, "0");
        const buckets = { edge: `edge-${number}`, node: `node-${number}` };
        const { accessKey: accessKeyId, secretKey: secretAccessKey } = this.outputs;
        const all = [...commands, ...readBackCommands(commands)];
        const playAt = async (side: "edge" | "node") => {
            await this.admin.send(new CreateBucketCommand({ Bucket: buckets[side] }));
            return play(clients[side], all, buckets[side], { accessKeyId, secretAccessKey });
        };
        const [edge, node] = await Promise.all([playAt("edge"), playAt("node")]);
        const lost = lostObjects(edge, commands.length);
        return { edge, node, differences: [...differencesOf(edge, node, buckets), ...lost] };
    }

    /** Removes everything. */
    async remove(): Promise<void> {
        this.admin.destroy();
        this.door.close();
        await this.deployment.remove();
        rmSync(this.folder, { recursive: true, force: true });
    }
}
