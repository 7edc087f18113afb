/** The two listeners of the service contract, section 1. */
export type ListenerName = "s3" | "console";

/** One TCP connection that a listener accepted. */
export interface ObservedConnection {
    /** Counts the connections of both listeners, from 1. */
    number: number;
    listener: ListenerName;
    remoteAddress: string;
    /** Time when it was accepted, in milliseconds since the epoch. */
    opened: number;
    /** Time when it was closed; null while it is open. */
    closed: number | null;
    /** Whether its first request was for the listener's health path. */
    healthCheck: boolean;
    /** Number of bytes received. */
    byteCount: number;
    /** The first 64 KiB of these bytes, in base64, before any parsing. */
    bytes: string;
}

/** One request that the HTTP parser accepted. */
export interface ObservedRequest {
    listener: ListenerName;
    /** {@link ObservedConnection.number} */
    connection: number;
    /** Time when its headers were complete, in milliseconds since the epoch. */
    time: number;
    method: string;
    /** The request target, unchanged. */
    url: string;
    httpVersion: string;
    /** The part of the program that answered; null until it did. */
    route: string | null;
    /** Status of the response; null until it was sent. */
    status: number | null;
}

/** One health check. */
export interface ObservedCheck {
    /** Time of the check, in milliseconds since the epoch. */
    time: number;
    /** Whether it gets 200 at once. */
    sound: boolean;
    connection: number;
    remoteAddress: string;
    /** Alternating names and values, in the order received. */
    rawHeaders: string[];
}
