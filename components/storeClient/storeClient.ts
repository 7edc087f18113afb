import type { BucketDurability } from "./bucketDurability";

/** The result of one command of MinIO's client. */
export interface ClientAnswer {
    /** Its exit code. */
    code: number;
    /** The values that it printed. */
    values: unknown[];
    /** What it printed on standard error. */
    complaint: string;
}

/** A file in the client's memory, for commands that read their input from a file alone. */
export const INPUT_FILE = "/run/client/input";

/** Runs MinIO's client beside a store. */
export interface StoreClient {
    /**
     * Runs one command. `store` is the store's name in its arguments.
     *
     * @param input Its standard input, for what must not be an argument; with {@link INPUT_FILE} among the arguments, the
     * content of that file. Default: nothing.
     */
    run(args: string[], input?: string): Promise<ClientAnswer>;
    /**
     * Waits until the store takes writes to a bucket with a new quota: until each of its healthy nodes has counted the bucket's
     * objects, at most 10 minutes. Never rejects.
     */
    untilCounted(bucket: string): Promise<void>;
    /** Durability modes of buckets. Undefined for a store that has none. */
    durability?: Pick<BucketDurability, "read" | "write">;
}

/** A command of the client failed. */
export class ClientError extends Error {
    /**
     * @param code The error's code in the S3 or the admin API, such as `NoSuchBucket`. Empty if the client names none.
     */
    constructor(
        message: string,
        readonly code: string,
    ) {
        super(message);
    }
}

/** An error as the client prints it. */
interface PrintedError {
    status?: string;
    error?: { message?: string; cause?: { message?: string; error?: { Code?: string; Message?: string } } };
}

/**
 * Runs a command, and returns what it printed.
 *
 * @throws {ClientError} if it failed.
 */
export async function ask(client: StoreClient, args: string[], input?: string): Promise<unknown[]> {
    const { code, values, complaint } = await client.run(args, input);
    const failed = (values as PrintedError[]).find(({ status }) => status === "error");
    if (code === 0 && failed === undefined) {
        return values;
    }
    const { message = complaint === "" ? `exit code ${code}` : complaint, cause } = failed?.error ?? {};
    const reason = cause?.error?.Message ?? cause?.message;
    const [action = "", what = ""] = args;
    throw new ClientError(
        `mc ${action} ${what}: ${message}${reason === undefined || message.includes(reason) ? "" : ` ${reason}`}`,
        cause?.error?.Code ?? "",
    );
}

/**
 * The same, or undefined if the store doesn't have what was asked for.
 *
 * @param missing Codes of the errors that say so. Their messages are ambiguous: "does not exist" is also said of a wrong root key.
 */
export async function askFor(
    client: StoreClient,
    args: string[],
    missing: readonly string[],
): Promise<unknown[] | undefined> {
    try {
        return await ask(client, args);
    } catch (error) {
        if (error instanceof ClientError && missing.includes(error.code)) {
            return undefined;
        }
        throw error;
    }
}

/** A bucket in the client's arguments. */
export function target(bucket: string): string {
    return `store/${bucket}`;
}
