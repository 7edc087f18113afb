/** The two listeners of the service contract, section 1. */
export type ListenerName = "s3" | "console";

/** One TCP connection that a listener accepted. */
export interface ObservedConnection {
    /** Counts both listeners' connections from 1. */
    number: number;
    listener: ListenerName;
    remoteAddress: string;
    /** When it was accepted, in milliseconds since the epoch. */
    opened: number;
    /** When it was closed; null while it is open. */
    closed: number | null;
    /** Whether it began with a request for the listener's health path. */
    healthCheck: boolean;
    /** All bytes that were received. */
    byteCount: number;
    /** The first 64 KiB of them, in base64, as they came before any parsing. */
    bytes: string;
}

/** One request that got through the HTTP parser. */
export interface ObservedRequest {
    listener: ListenerName;
    /** {@link ObservedConnection.number} */
    connection: number;
    /** When its headers were complete, in milliseconds since the epoch. */
    time: number;
    method: string;
    /** The request target as it came. */
    url: string;
    httpVersion: string;
    /** Which part of the program answered; null before it did. */
    route: string | null;
    /** Status of the answer; null before it was sent. */
    status: number | null;
}

/** One health check. */
export interface ObservedCheck {
    /** When it came, in milliseconds since the epoch. */
    time: number;
    /** Whether it gets 200 at once. */
    sound: boolean;
    connection: number;
    remoteAddress: string;
    /** Names and values in turn, as they came. */
    rawHeaders: string[];
}
