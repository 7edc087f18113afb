import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import type { DeploymentOutputs } from "./deployment";
import type { DockerHost } from "./dockerHost";
import type { User } from "./stores";

/** Protocol of a store's admin API. */
export interface AdminDialect {
    /** Common path prefix on the S3 listener. */
    path: string;
    /** Encodes a JSON body. */
    encrypt: (body: Buffer, rootSecret: string) => Buffer;
}

/** A store's own admin API, used with the root keys from inside its first node, because the proxy closes it. */
export class StoreAdmin {
    constructor(
        private readonly host: DockerHost,
        private readonly outputs: DeploymentOutputs,
        private readonly dialect: AdminDialect,
    ) {}

    /** Creates a user that may read and write; sets the secret key of an existing user. */
    async createUser({ accessKeyId, secretAccessKey }: User): Promise<void> {
        await this.ask("PUT", `/add-user?accessKey=${accessKeyId}`, { secretKey: secretAccessKey, status: "enabled" });
        const policy = `policyName=readwrite&userOrGroup=${accessKeyId}&isGroup=false`;
        await this.ask("PUT", `/set-user-or-group-policy?${policy}`);
    }

    async removeUser({ accessKeyId }: User): Promise<void> {
        await this.ask("DELETE", `/remove-user?accessKey=${accessKeyId}`);
    }

    /** Adds another access key to a user, with the same permissions. */
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

/**
 * MinIO's encrypted admin bodies: PBKDF2 and AES-256-GCM in one fragment, in the format of its Go client library
 * `madmin`.
 */
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
