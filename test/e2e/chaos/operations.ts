/** Clients as they come: with the SDK's default retries, or without any. */
export type Population = "retrying" | "single";

export const POPULATIONS: readonly Population[] = ["retrying", "single"];

/** What a client does. A signed URL and the console are asked without the SDK, so nothing retries these. */
export type OperationKind = "put" | "get" | "multipart" | "list" | "delete" | "presigned" | "console";

/** Something that an answer must not have said of an object. */
export interface Finding {
    /** Whether the object itself was read so, or a list said so. */
    by: "read" | "list";
    key: string;
    /** What was found, in place of what, and the object's history. */
    text: string;
}

/** One operation, as its client saw it. */
export interface OperationRecord {
    population: Population;
    kind: OperationKind;
    /** When it began, in milliseconds since the epoch. */
    start: number;
    end: number;
    /** Why it failed; nothing where it succeeded. */
    failure?: string;
    /** What it brought and must not have brought. */
    wrong?: Finding[];
}
