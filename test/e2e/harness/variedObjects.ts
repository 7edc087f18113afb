/** Keys that need care in URLs and listings. */
export const ODD_KEYS = [
    "a b+c",
    "ünï/☃ ",
    "100%25",
    "what?=1&#2",
    "~(1) [2]",
    ".hidden/object",
    "quote\"<it's>&",
    "deep/".repeat(40) + "end",
];

/** Users, each with a key pair of its own: of both kinds of policies, through a group, and a service account. */
export const USERS = {
    writer: { accessKeyId: "moved-writer", secretAccessKey: "the-writers-secret" },
    reader: { accessKeyId: "moved-reader", secretAccessKey: "the-readers-secret" },
    member: { accessKeyId: "moved-member", secretAccessKey: "the-members-secret" },
    account: { accessKeyId: "moved-account", secretAccessKey: "the-accounts-secret" },
};

/** What was written of one version of an object. */
export interface Written {
    bucket: string;
    key: string;
    version: string | undefined;
    sha256: string;
    etag: string | undefined;
}

/** Until when locked objects are retained. */
export const RETAIN_UNTIL = new Date(Math.floor((Date.now() + 3 * 24 * 3_600_000) / 1000) * 1000);
