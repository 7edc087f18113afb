import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import type { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/** A real store that the suites run on. */
export interface Store {
    name: string;
    /** Stack config that deploys it. */
    config: DeploymentConfig;
    /** A path of the console that answers 200. */
    consolePath: string;
    /** Paths of the store's own that the S3 hostname doesn't give out: admin, RPC, metrics. */
    closedPaths: string[];
    /** Makes a user that may read and write, by the store's own admin API, from inside of a node. */
    createUser: (host: DockerHost, outputs: DeploymentOutputs, user: User) => Promise<void>;
}

/** A user of a store. */
export interface User {
    accessKeyId: string;
    secretAccessKey: string;
}

/** MinIO, which `npm test` runs on. */
export function minioStore(): Store {
    return {
        name: "MinIO",
        config: { profile: "minio", image: testImages().minio },
        consolePath: "/",
        closedPaths: ["/minio/admin/v3/info", "/minio/storage/data/drive1/v63/diskinfo", "/minio/v2/metrics/cluster"],
        createUser: (host, outputs, user) => createUser(host, outputs, user, "/minio/admin/v3", encryptForMinio),
    };
}

/** RustFS, which `npm run test:full` runs on. Built from its crate it holds no console pages. */
export function rustfsStore(): Store {
    const { rustfs } = testImages();
    if (rustfs === undefined) {
        throw new Error("there is no image of RustFS: run npm run prepare-tests -- --rustfs first");
    }
    return {
        name: "RustFS",
        config: { profile: "rustfs", image: rustfs },
        consolePath: "/rustfs/console/health",
        closedPaths: ["/rustfs/admin/v3/info", "/minio/admin/v3/info", "/rustfs/rpc/walk_dir", "/profile/cpu"],
        createUser: (host, outputs, user) => createUser(host, outputs, user, "/rustfs/admin/v3", (data) => data),
    };
}

/** The contract stand-in: the generic profile, under which tests look at the wire and set health. */
export function standInStore(): Store {
    return {
        name: "the stand-in",
        config: { profile: "service", image: testImages().standIn },
        consolePath: "/",
        closedPaths: ["/service/admin/v3/info"],
        createUser: () => Promise.reject(new Error("the stand-in has no users")),
    };
}

async function createUser(
    host: DockerHost,
    outputs: DeploymentOutputs,
    { accessKeyId, secretAccessKey }: User,
    admin: string,
    encrypt: (data: Buffer, password: string) => Buffer,
): Promise<void> {
    const put = async (pathAndQuery: string, body: Buffer) => {
        const curl =
            "curl --silent --show-error --fail-with-body --request PUT --aws-sigv4 aws:amz:us-east-1:s3 " +
            `--user '${outputs.accessKey}:${outputs.secretKey}' --data-binary @- 'http://127.0.0.1:9000${admin}${pathAndQuery}'`;
        const command = `printf %s '${body.toString("base64")}' | base64 -d | ${curl}`;
        await host.exec(outputs.nodeNames[0] ?? "", ["/bin/sh", "-c", command]);
    };
    const user = Buffer.from(JSON.stringify({ secretKey: secretAccessKey, status: "enabled" }));
    await put(`/add-user?accessKey=${accessKeyId}`, encrypt(user, outputs.secretKey));
    const policy = `policyName=readwrite&userOrGroup=${accessKeyId}&isGroup=false`;
    await put(`/set-user-or-group-policy?${policy}`, Buffer.alloc(0));
}

/** MinIO's admin bodies: PBKDF2 and AES-256-GCM, as its Go client library `madmin` writes them, in one fragment. */
function encryptForMinio(data: Buffer, password: string): Buffer {
    const [salt, nonce] = [randomBytes(32), randomBytes(8)];
    const key = pbkdf2Sync(password, salt, 8192, 32, "sha256");
    const seal = (sequence: number, associated: Buffer, plain: Buffer): Buffer => {
        const counter = Buffer.alloc(4);
        counter.writeUInt32LE(sequence);
        const cipher = createCipheriv("aes-256-gcm", key, Buffer.concat([nonce, counter])).setAAD(associated);
        return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    };
    const associated = Buffer.concat([Buffer.from([0x80]), seal(0, Buffer.alloc(0), Buffer.alloc(0))]);
    return Buffer.concat([salt, Buffer.from([0x02]), nonce, seal(1, associated, data)]);
}
