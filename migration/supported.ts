import { minioProfile } from "../components/store/profiles/minio";
import { rustfsProfile } from "../components/store/profiles/rustfs";
import type { ServiceProfile } from "../components/store/serviceProfile";

/** A setting of buckets, and how its presence shows in the store's answer. */
export interface BucketSetting {
    /** Query of the request, as in `GET /bucket?policy`. */
    query: string;
    /** What an answer with status 200 has to contain if the bucket has the setting. Default: any content. */
    shows?: RegExp;
}

/** Objects that the new store can't read, by a text in their metadata file. */
export interface UnreadableObjects {
    /** What they are: `compressed`. */
    kind: string;
    /** Text in lower case: letters and hyphens. */
    marker: string;
    /** Whether both stores list them with the same ETag. The length may be another one: RustFS lists that of the compressed data. */
    isListed: boolean;
}

/** How one store takes over the drives of another one, with everything on them. */
export interface Migration {
    /** The store that has written the drives. */
    from: ServiceProfile;
    /** The store that gets them. */
    to: ServiceProfile;
    /** Whether the former store has to run until the drives are taken over, so that its content can be compared. */
    needsFormer: boolean;
    /**
     * Folders of each drive that the new store fills from those of the former one when it first starts. They are removed
     * before: what an earlier attempt has left there is out of date, and the new store would use it.
     *
     * If there are several nodes, one of them has to fill them alone. Each node of RustFS does so when it starts, without a lock: two at
     * once leave copies of either on the drives, and if none is on enough of them, no node can read that file any more.
     */
    filledAtStart: readonly string[];
    /**
     * Folders of each drive in which both stores keep users, groups, policies and service accounts, in the same layout, if the
     * new store has to have those of the former one. Default: they aren't compared.
     *
     * The new store copies from the former one's at each start what it doesn't have, and would bring back what was removed. So that is
     * hidden from it once it has everything, and shown again before the former store starts.
     */
    access?: { from: string; to: string };
    /** File of each drive that describes the layout, as the former store has written it. */
    layoutFile: string;
    /** Variables of the former store with which the new one can't read its metadata. A `*` at the end makes a name a prefix. */
    excludedVariables: readonly string[];
    /** Objects that the new store can't read. */
    unreadable: readonly UnreadableObjects[];
    /** Bucket settings that have no effect in the new store. */
    missingSettings: readonly string[];
    /** What a preview says about the way back, or about what is lost. */
    consequence: string;
}

/** Bucket settings that must be the same before and after. */
export const BUCKET_SETTINGS: readonly BucketSetting[] = [
    { query: "versioning", shows: /<Status>Enabled<\/Status>/ },
    { query: "policy" },
    { query: "lifecycle", shows: /<Rule>/ },
    { query: "object-lock", shows: /Enabled/ },
    { query: "tagging", shows: /<Tag>/ },
    { query: "encryption" },
    { query: "replication" },
    { query: "notification", shows: /<(Queue|Topic|CloudFunction|Lambda)\w*>/ },
];

/** Versions and formats of a layout file that both stores know. */
const LAYOUT = { version: "1", formats: ["xl", "xl-single"], erasureVersion: "3" };

/** Objects that RustFS 1.0.1 reads wrongly or not at all, measured with MinIO of February 2026. */
const UNREADABLE: readonly UnreadableObjects[] = [
    { kind: "compressed", marker: "-internal-compression", isListed: true },
    { kind: "encrypted", marker: "-internal-server-side-encryption", isListed: false },
];

const MIGRATIONS: readonly Migration[] = [
    {
        from: minioProfile,
        to: rustfsProfile,
        needsFormer: true,
        // Measured with RustFS 1.0.1; `no_lock` in rustfs-ecstore/src/bucket/migration.rs.
        filledAtStart: [".rustfs.sys"],
        // Measured with RustFS 1.0.1; try_migrate_iam_config in rustfs/src/startup_bucket_metadata.rs.
        access: { from: ".minio.sys/config/iam", to: ".rustfs.sys/config/iam" },
        layoutFile: minioProfile.formatFile,
        // MinIO encrypts its users and policies by the key. RustFS then ends: "incompatible legacy metadata".
        excludedVariables: ["MINIO_KMS_*"],
        unreadable: UNREADABLE,
        missingSettings: ["notification", "encryption"],
        consequence:
            "Uploads in parts that aren't completed are lost. A bucket with a quota refuses writes with 503 until rustfs has counted all objects " +
            "once, for minutes if there are many. Nothing of minio's is deleted: `--back` returns to it. Objects that were written " +
            "meanwhile stay then, but users, policies and bucket settings are those of before the change. Web pages of other origins get no " +
            "answer from rustfs unless their bucket has `cors`: minio allows all origins",
    },
    {
        from: rustfsProfile,
        to: minioProfile,
        needsFormer: false,
        filledAtStart: [],
        layoutFile: minioProfile.formatFile,
        excludedVariables: [],
        unreadable: UNREADABLE,
        missingSettings: [],
        consequence:
            "Objects that rustfs has written stay. Users, policies and bucket settings are those that minio had: later changes " +
            "of them, such as removed users and new policies, are lost",
    },
];

/** How one store takes over the drives of another one. Undefined if it can't. */
export function migrationBetween(from: string, to: string): Migration | undefined {
    return MIGRATIONS.find((one) => one.from.name === from && one.to.name === to);
}

/** Bucket settings that the new store has and the former one hasn't: on a way back, they have an effect again. */
export function addedSettings({ from, to }: Migration): readonly string[] {
    return migrationBetween(to.name, from.name)?.missingSettings ?? [];
}

/** Folders of each drive that the new store must not find once it has everything. */
export function hiddenFromNew({ access }: Migration): string[] {
    return access === undefined ? [] : [access.from];
}

/** Folders of each drive that the former store must not find when it starts again after another one, `tried`, was to take over. */
export function hiddenFromFormer(tried: string): string[] {
    return MIGRATIONS.filter(({ from }) => from.name === tried).flatMap(hiddenFromNew);
}

/** The layout of one drive. */
export interface DriveLayout {
    /** Ids of the drives of all erasure sets of the drive's pool. */
    sets: string[][];
    /** Id of the drive. */
    drive: string;
}

/**
 * Reads a layout file.
 *
 * @returns The layout; a text with the reason if the stores don't share this format.
 */
export function readLayout(text: string | undefined): DriveLayout | string {
    if (text === undefined) {
        return "is missing";
    }
    const found = parsed(text);
    const { version, format, xl } = found;
    if (version !== LAYOUT.version || !LAYOUT.formats.includes(String(format))) {
        return `has format "${String(format)}" of version "${String(version)}"; only ${LAYOUT.formats.join(" and ")} of version ${LAYOUT.version} can be taken over`;
    }
    if (xl?.version !== LAYOUT.erasureVersion || xl.sets === undefined || xl.this === undefined) {
        return `has erasure format "${String(xl?.version)}"; only ${LAYOUT.erasureVersion} can be taken over`;
    }
    return { sets: xl.sets, drive: xl.this };
}

interface LayoutFile {
    version?: string;
    format?: string;
    xl?: { version?: string; this?: string; sets?: string[][] };
}

function parsed(text: string): LayoutFile {
    try {
        return JSON.parse(text) as LayoutFile;
    } catch {
        return {};
    }
}
