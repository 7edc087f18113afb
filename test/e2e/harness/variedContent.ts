import {
    CreateBucketCommand,
    DeleteObjectCommand,
    GetBucketLifecycleConfigurationCommand,
    GetBucketTaggingCommand,
    GetObjectCommand,
    GetObjectLegalHoldCommand,
    GetObjectRetentionCommand,
    GetObjectTaggingCommand,
    HeadObjectCommand,
    ListObjectsV2Command,
    ListObjectVersionsCommand,
    PutBucketLifecycleConfigurationCommand,
    PutBucketPolicyCommand,
    PutBucketTaggingCommand,
    PutBucketVersioningCommand,
    PutObjectCommand,
    PutObjectLegalHoldCommand,
    PutObjectRetentionCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash, randomBytes } from "node:crypto";
import { get, s3ClientFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";
import type { StoreAdmin } from "./storeAdmin";
import { checksumOf } from "./traffic";
import { type Written, ODD_KEYS, USERS, RETAIN_UNTIL } from "./variedObjects";
import { inTurns } from "./inTurns";

const MIB = 1024 * 1024;

/**
 * Content of every kind that a store keeps, in a manifest with checksums: objects of all sizes and with odd keys, versions,
 * delete markers, tags, policies, lifecycle rules, locks, a quota, users, groups and service accounts.
 */
export class VariedContent {
    private readonly written: Written[] = [];
    private readonly client: S3Client;
    private users = false;

    constructor(private readonly outputs: DeploymentOutputs) {
        this.client = s3ClientFor(outputs);
    }

    /** Writes it. @param count Number of small objects. */
    async write(admin: StoreAdmin, count: number): Promise<void> {
        const { client } = this;
        for (const bucket of ["moved-plain", "moved-versions", "moved-public", "moved-limited"]) {
            await client.send(new CreateBucketCommand({ Bucket: bucket }));
        }
        await client.send(new CreateBucketCommand({ Bucket: "moved-locked", ObjectLockEnabledForBucket: true }));
        await this.objects(count);
        await this.versions();
        await this.settings();
        await this.locks();
        await this.access(admin);
    }

    /** More objects, written by another store. */
    async writeMore(prefix: string, count: number): Promise<void> {
        await inTurns(count, (index) => this.put("moved-plain", `${prefix}/${index}`, randomBytes(1000 + index * 13)));
        await this.put("moved-plain", `${prefix}/large`, randomBytes(11 * MIB));
        await this.put("moved-versions", "history", randomBytes(2000));
    }

    /** Reads and tries all of it. Returns every difference. */
    async differences(): Promise<string[]> {
        const found: string[] = [];
        const check = async (what: string, work: () => Promise<unknown>, expected: unknown): Promise<void> => {
            const answer = await work().catch((error: unknown) => (error as Error).name);
            if (JSON.stringify(answer) !== JSON.stringify(expected)) {
                found.push(`${what}: ${JSON.stringify(answer)}, expected ${JSON.stringify(expected)}`);
            }
        };
        await inTurns(this.written.length, async (index) => {
            const { bucket, key, version, sha256: digest, etag } = this.written[index] as Written;
            await check(`${bucket}/${key} ${version ?? ""}`, () => this.read(bucket, key, version), [digest, etag]);
        });
        const keys = (bucket: string) => [
            ...new Set(this.written.filter((one) => one.bucket === bucket).map(({ key }) => key)),
        ];
        await check("listing of moved-plain", () => this.list("moved-plain"), keys("moved-plain").sort(byBytes));
        await check("listing of moved-versions", () => this.list("moved-versions"), ["history"]);
        await check("delete marker", () => this.read("moved-versions", "deleted"), "NoSuchKey");
        await check("markers", () => this.markers("moved-versions"), ["deleted"]);
        const history = this.written.filter(({ key }) => key === "history").map(({ version }) => version);
        await check("versions", () => this.versionsOf("moved-versions", "history"), history.reverse());
        await this.checkSettings(check);
        await this.checkLocks(check);
        if (this.users) {
            await this.checkAccess(check);
        }
        return found;
    }

    end(): void {
        this.client.destroy();
    }

    private async objects(count: number): Promise<void> {
        await inTurns(count, (index) =>
            this.put("moved-plain", `small/${index % 50}/${index}`, randomBytes((index * 97) % 5000)),
        );
        for (const key of ODD_KEYS) {
            await this.put("moved-plain", key, randomBytes(1500));
        }
        await this.put("moved-plain", "inline", randomBytes(100_000));
        await this.put("moved-plain", "one part", randomBytes(3 * MIB));
        const body = randomBytes(23 * MIB);
        const params = { Bucket: "moved-plain", Key: "parts", Body: body };
        const { ETag: etag } = await new Upload({ client: this.client, params, partSize: 5 * MIB }).done();
        this.written.push({ bucket: "moved-plain", key: "parts", version: undefined, sha256: sha256(body), etag });
    }

    private async versions(): Promise<void> {
        const Bucket = "moved-versions";
        const VersioningConfiguration = { Status: "Enabled" } as const;
        await this.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
        for (let version = 1; version <= 5; version++) {
            await this.put(Bucket, "history", randomBytes(700 * version));
        }
        await this.put(Bucket, "deleted", randomBytes(900));
        await this.client.send(new DeleteObjectCommand({ Bucket, Key: "deleted" }));
    }

    private async settings(): Promise<void> {
        const Bucket = "moved-public";
        await this.put(Bucket, "open/object", Buffer.from("for everybody"));
        await this.put(Bucket, "closed/object", Buffer.from("for nobody"));
        const open = {
            Effect: "Allow",
            Principal: "*",
            Action: "s3:GetObject",
            Resource: `arn:aws:s3:::${Bucket}/open/*`,
        };
        const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [open] });
        await this.client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
        const Rules = [{ ID: "old", Status: "Enabled", Filter: { Prefix: "old/" }, Expiration: { Days: 30 } } as const];
        await this.client.send(
            new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }),
        );
        const Tagging = { TagSet: [{ Key: "team", Value: "storage" }] };
        await this.client.send(new PutBucketTaggingCommand({ Bucket, Tagging }));
        const Metadata = { "written-by": "the former store" };
        const Tags = "kind=tagged&colour=blue";
        const tagged = { Bucket, Key: "tagged", Body: "tagged", Tagging: Tags, Metadata, ContentType: "text/plain" };
        await this.client.send(new PutObjectCommand(tagged));
    }

    private async checkSettings(check: Check): Promise<void> {
        const Bucket = "moved-public";
        const anonymous = async (key: string) =>
            (await get(this.outputs, `${this.outputs.s3Endpoint}/${Bucket}/${key}`)).status;
        await check("anonymous read of the open prefix", () => anonymous("open/object"), 200);
        await check("anonymous read of the closed prefix", () => anonymous("closed/object"), 403);
        const lifecycle = async () => {
            const { Rules = [] } = await this.client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
            return Rules.map(({ ID, Status, Expiration }) => [ID, Status, Expiration?.Days]);
        };
        await check("lifecycle", lifecycle, [["old", "Enabled", 30]]);
        const tags = async () => (await this.client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet;
        await check("tags of the bucket", tags, [{ Key: "team", Value: "storage" }]);
        const ofObject = async () => {
            const { TagSet = [] } = await this.client.send(new GetObjectTaggingCommand({ Bucket, Key: "tagged" }));
            const { Metadata, ContentType } = await this.client.send(new HeadObjectCommand({ Bucket, Key: "tagged" }));
            return [TagSet.map(({ Key, Value }) => `${Key}=${Value}`).sort(), Metadata, ContentType];
        };
        await check("tags and metadata of an object", ofObject, [
            ["colour=blue", "kind=tagged"],
            { "written-by": "the former store" },
            "text/plain",
        ]);
    }

    private async locks(): Promise<void> {
        const Bucket = "moved-locked";
        for (const key of ["governed", "held", "free"]) {
            await this.put(Bucket, key, randomBytes(400));
        }
        const Retention = { Mode: "COMPLIANCE", RetainUntilDate: RETAIN_UNTIL } as const;
        await this.client.send(new PutObjectRetentionCommand({ Bucket, Key: "governed", Retention }));
        await this.client.send(new PutObjectLegalHoldCommand({ Bucket, Key: "held", LegalHold: { Status: "ON" } }));
    }

    private async checkLocks(check: Check): Promise<void> {
        const Bucket = "moved-locked";
        const retention = async () => {
            const { Retention } = await this.client.send(new GetObjectRetentionCommand({ Bucket, Key: "governed" }));
            return [Retention?.Mode, Retention?.RetainUntilDate?.toISOString()];
        };
        await check("retention", retention, ["COMPLIANCE", RETAIN_UNTIL.toISOString()]);
        const hold = async () =>
            (await this.client.send(new GetObjectLegalHoldCommand({ Bucket, Key: "held" }))).LegalHold?.Status;
        await check("legal hold", hold, "ON");
        for (const Key of ["governed", "held"]) {
            const VersionId = this.written.find((one) => one.bucket === Bucket && one.key === Key)?.version;
            const remove = () => this.client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
            const refused = await remove().then(
                () => "deleted",
                () => "refused",
            );
            await check(`deletion of the locked version of ${Key}`, () => Promise.resolve(refused), "refused");
        }
    }

    private async access(admin: StoreAdmin): Promise<void> {
        const { writer, reader, member, account } = USERS;
        await admin.createUser(writer);
        await admin.createUserWithoutPolicy(reader);
        await admin.createUserWithoutPolicy(member);
        const allow = (Action: string[], Resource: string[]) => ({
            Version: "2012-10-17",
            Statement: [{ Effect: "Allow", Action, Resource }],
        });
        await admin.createPolicy("read-public", allow(["s3:GetObject"], ["arn:aws:s3:::moved-public/*"]));
        await admin.createPolicy("read-plain", allow(["s3:GetObject"], ["arn:aws:s3:::moved-plain/*"]));
        await admin.attachPolicy("read-public", { user: reader.accessKeyId });
        await admin.addToGroup("moved-group", [member.accessKeyId]);
        await admin.attachPolicy("read-plain", { group: "moved-group" });
        await admin.addKeys(reader, account);
        await admin.limitBucket("moved-limited", 2 * MIB);
        this.users = true;
    }

    private async checkAccess(check: Check): Promise<void> {
        const readAs = async (user: { accessKeyId: string; secretAccessKey: string }, Bucket: string, Key: string) => {
            const client = s3ClientFor(this.outputs, user);
            try {
                await checksumOf(client, Bucket, Key);
                return "read";
            } finally {
                client.destroy();
            }
        };
        const { writer, reader, member, account } = USERS;
        const [open, plain] = [["moved-public", "open/object"] as const, ["moved-plain", "inline"] as const];
        await check("writer reads", () => readAs(writer, ...plain), "read");
        await check("reader reads what its policy allows", () => readAs(reader, ...open), "read");
        await check("reader reads another bucket", () => readAs(reader, ...plain), "AccessDenied");
        await check("service account reads what its user may", () => readAs(account, ...open), "read");
        await check("service account reads another bucket", () => readAs(account, ...plain), "AccessDenied");
        await check("member reads what its group may", () => readAs(member, ...plain), "read");
        await check("member reads another bucket", () => readAs(member, "moved-versions", "history"), "AccessDenied");
        const wrong = { ...writer, secretAccessKey: "another-secret" };
        await check("wrong secret", () => readAs(wrong, ...plain), "SignatureDoesNotMatch");
        const tooLarge = this.client
            .send(new PutObjectCommand({ Bucket: "moved-limited", Key: "large", Body: randomBytes(3 * MIB) }))
            .then(
                () => "accepted",
                () => "refused",
            );
        await check("an upload above the quota", () => tooLarge, "refused");
    }

    private async put(bucket: string, key: string, body: Buffer): Promise<void> {
        const { VersionId: version, ETag: etag } = await this.client.send(
            new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }),
        );
        this.written.push({ bucket, key, version, sha256: sha256(body), etag });
    }

    private async read(Bucket: string, Key: string, VersionId?: string): Promise<unknown> {
        const { Body: body, ETag: etag } = await this.client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
        return [sha256((await body?.transformToByteArray()) ?? new Uint8Array()), etag];
    }

    private async list(Bucket: string): Promise<string[]> {
        const keys: string[] = [];
        for (let ContinuationToken: string | undefined; ;) {
            const page = await this.client.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
            keys.push(...(page.Contents ?? []).map(({ Key = "" }) => Key));
            ContinuationToken = page.NextContinuationToken;
            if (ContinuationToken === undefined) {
                return keys;
            }
        }
    }

    private async markers(Bucket: string): Promise<string[]> {
        const { DeleteMarkers = [] } = await this.client.send(new ListObjectVersionsCommand({ Bucket }));
        return DeleteMarkers.map(({ Key = "" }) => Key);
    }

    private async versionsOf(Bucket: string, Prefix: string): Promise<(string | undefined)[]> {
        const { Versions = [] } = await this.client.send(new ListObjectVersionsCommand({ Bucket, Prefix }));
        return Versions.map(({ VersionId }) => VersionId);
    }
}

type Check = (what: string, work: () => Promise<unknown>, expected: unknown) => Promise<void>;

export function sha256(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}

function byBytes(one: string, other: string): number {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
