/** What a sequence consists of, and what a client's process reads: one line of JSON for each. */
export interface Command {
    /**
     * An operation as AWS's API model calls it; `Request`, whose parameters are the method and the target of a request that the
     * client sends as it is; `Reset`, after which the client opens a new connection.
     */
    operation: string;
    parameters: { [name: string]: unknown };
    /** Whose request it is. Default: the owner's. `stranger` has the owner's access key and a wrong secret. */
    by?: "owner" | "stranger" | "anonymous";
    body?: Body;
    /** Whether the client reads the body as a stream: it can't know the checksum before. Default: false. */
    streamed?: boolean;
    /** Whether the request has `Expect: 100-continue`. Default: false. */
    expect?: boolean;
    /** Whether the client presigns the operation, and sends only its URL and the body. Default: false. */
    presigned?: boolean;
    /** Further headers; they are signed. */
    headers?: [string, string][];
}

/** A block that is repeated. */
export interface Body {
    /** In base64. */
    block: string;
    /** Bytes in all. */
    size: number;
    /** The client ends the request after so many bytes. Default: never. */
    endsAt?: number;
}

/** What a client says about a command: one line of JSON. */
export interface Outcome {
    /** Missing if there was no response. */
    status?: number;
    /** By lower-case name. */
    headers?: { [name: string]: string };
    body: { size: number; sha256: string; base64?: string };
    /** The client's error: the store's code, `connection`, `timeout`, `aborted`, or its own name for it. */
    error?: string;
    /** The error in words. */
    detail?: string;
    /** Connections that were opened since the sequence began. */
    connections: number;
}

/** The bytes of a body. */
export function bytesOf({ block, size }: Body): Buffer {
    return Buffer.alloc(size, Buffer.from(block, "base64"));
}
