import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import type { DeploymentOutputs } from "./deployment";
import type { DockerHost } from "./dockerHost";
import type { User } from "./stores";

/** How a store's admin API is spoken to. */
export interface AdminDialect {
    /** Path on the S3 listener that all of it is below. */
    path: string;
    /** Makes of a body, in JSON, what is sent. */
    encrypt: (body: Buffer, rootSecret: string) => Buffer;
}

/** A store's own admin API, with the root keys, from inside of its first node: the edge closes it. */
export class StoreAdmin {
    constructor(
        private readonly host: DockerHost,
        private readonly outputs: DeploymentOutputs,
        private readonly dialect: AdminDialect,
    ) {}

    /** Makes a user that may read and write; one that is there gets the secret key. */
    async createUser({ accessKeyId, secretAccessKey }: User): Promise<void> {
        await this.ask("PUT", `/add-user?accessKey=${accessKeyId}`, { secretKey: secretAccessKey, status: "enabled" });
        const policy = `policyName=readwrite&userOrGroup=${accessKeyId}&isGroup=false`;
        await this.ask("PUT", `/set-user-or-group-policy?${policy}`);
    }

    async removeUser({ accessKeyId }: User): Promise<void> {
        await this.ask("DELETE", `/remove-user?accessKey=${accessKeyId}`);
    }

    /** Gives a user one more pair of keys, which may what the user may. */
    async addKeys({ accessKeyId: targetUser }: User, { accessKeyId, secretAccessKey }: User): Promise<void> {
        const keys = { accessKey: accessKeyId, secretKey: secretAccessKey, targetUser, name: "", description: "" };
        await this.ask("PUT", "/add-service-account", keys);
    }

    async removeKeys({ accessKeyId }: User): Promise<void> {
        await this.ask("DELETE", `/delete-service-account?accessKey=${accessKeyId}`);
    }

    private async ask(method: string, pathAndQuery: string, body?: object): Promise<void> {
        const { accessKey, secretKey, nodeNames } = this.outputs;
        const { path, encrypt } = this.dialect;
        const sent =
            body === undefined ? Buffer.alloc(0) : encrypt(Buffer.from(JSON.stringify(body)), this.outputs.secretKey);
        const curl =
            `curl --silent --show-error --fail-with-body --request ${method} --aws-sigv4 aws:amz:us-east-1:s3 ` +
            `--user '${accessKey}:${secretKey}' --data-binary @- 'http://127.0.0.1:9000${path}${pathAndQuery}'`;
        const command = `printf %s '${sent.toString("base64")}' | base64 -d | ${curl}`;
        await this.host.exec(nodeNames[0] ?? "", ["/bin/sh", "-c", command]);
    }
}

/** MinIO's admin bodies: PBKDF2 and AES-256-GCM, as its Go client library `madmin` writes them, in one fragment. */
export function encryptForMinio(data: Buffer, password: string): Buffer {
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
