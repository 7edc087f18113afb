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
    async createUser(user: User): Promise<void> {
        await this.createUserWithoutPolicy(user);
        await this.attachPolicy("readwrite", { user: user.accessKeyId });
    }

    /** Creates a user that may nothing of its own. */
    async createUserWithoutPolicy({ accessKeyId, secretAccessKey }: User): Promise<void> {
        await this.ask("PUT", `/add-user?accessKey=${accessKeyId}`, { secretKey: secretAccessKey, status: "enabled" });
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

    /** Creates a policy. */
    async createPolicy(name: string, policy: object): Promise<void> {
        await this.ask("PUT", `/add-canned-policy?name=${name}`, policy, "plain");
    }

    /** Gives a policy to a user or a group. */
    async attachPolicy(policy: string, to: { user: string } | { group: string }): Promise<void> {
        const [name, isGroup] = "user" in to ? [to.user, false] : [to.group, true];
        await this.ask("PUT", `/set-user-or-group-policy?policyName=${policy}&userOrGroup=${name}&isGroup=${isGroup}`);
    }

    /** Makes users members of a group. */
    async addToGroup(group: string, members: string[]): Promise<void> {
        await this.ask(
            "PUT",
            "/update-group-members",
            { group, members, isRemove: false, groupStatus: "enabled" },
            "plain",
        );
    }

    /** Limits the size of a bucket, in bytes. */
    async limitBucket(bucket: string, quota: number): Promise<void> {
        await this.ask("PUT", `/set-bucket-quota?bucket=${bucket}`, { quota, size: quota, quotatype: "hard" }, "plain");
    }

    private async ask(
        method: string,
        pathAndQuery: string,
        body?: object,
        form: "encrypted" | "plain" = "encrypted",
    ): Promise<void> {
        const { accessKey, secretKey, nodeNames } = this.outputs;
        const { path, encrypt } = this.dialect;
        const text = Buffer.from(body === undefined ? "" : JSON.stringify(body));
        const sent = body === undefined || form === "plain" ? text : encrypt(text, this.outputs.secretKey);
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
