/** Populations of clients: with the SDK's default retries, or without any. */
export type Population = "retrying" | "single";

export const POPULATIONS: readonly Population[] = ["retrying", "single"];

/** Operations of a client. Presigned URLs and the console are requested without the SDK, so nothing retries these. */
export type OperationKind = "put" | "get" | "multipart" | "list" | "delete" | "presigned" | "console";

/** A wrong result about an object. */
export interface Finding {
    /** Whether the object's content or a list was wrong. */
    by: "read" | "list";
    key: string;
    /** What was found, what was expected, and the object's history. */
    text: string;
}

/** One operation, as its client saw it. */
export interface OperationRecord {
    population: Population;
    kind: OperationKind;
    /** Start, in milliseconds since the epoch. */
    start: number;
    end: number;
    /** Reason of the failure; undefined if it succeeded. */
    failure?: string;
    /** A wrong result that it returned. */
    wrong?: Finding[];
}
