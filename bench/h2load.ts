import { quantile } from "./statistics";

/** A load that h2load makes. */
export interface Load {
    protocol: "http/1.1" | "h2";
    connections: number;
    /** Where the requests go, whatever their URLs say. */
    address: string;
    /** File with the URLs, one a line; each connection asks for all of them in turn. */
    urlsFile: string;
    method: "GET" | "PUT";
    /** File that is sent with each request; it must not be empty. */
    bodyFile?: string;
    /** For how long requests are made, or how many. */
    bound: { seconds: number } | { requests: number };
}

/** What came of a load. */
export interface LoadOutcome {
    /** Seconds from the first request to the last answer. */
    seconds: number;
    succeeded: number;
    /** Requests without an answer of status 2xx. */
    failed: number;
    /** Milliseconds of the requests that succeeded. */
    latency: { p50: number; p99: number; "p99.9": number };
}

const LOG_FILE = "/tmp/h2load.log";

/** Seconds after which a load that has not ended by itself is ended. */
const LIMIT_SECONDS = 300;

/**
 * How many requests each connection makes, by the bytes that are under way at once: where these are many, what a load of
 * some seconds leaves unfinished would be as much as what it has finished.
 */
const COUNTED: { from: number; requests: number }[] = [
    { from: 4 * 2 ** 30, requests: 1 },
    { from: 2 ** 30, requests: 2 },
    { from: 128 * 2 ** 20, requests: 4 },
];

/** How long, or how often, requests of a size are made on so many connections. */
export function boundOf(bytes: number, connections: number, seconds: number): Load["bound"] {
    const counted = COUNTED.find(({ from }) => bytes * connections >= from);
    return counted === undefined ? { seconds } : { requests: counted.requests * connections };
}

/** The shell script of a load; it prints h2load's log of requests, and why it failed where it did. */
export function loadScript(load: Load): string {
    const { protocol, connections, address, urlsFile, method, bodyFile, bound } = load;
    const options = [
        `--alpn-list=${protocol}`,
        // Without TLS there is nothing to negotiate.
        ...(protocol === "http/1.1" ? ["--h1"] : []),
        `--clients=${connections}`,
        "--max-concurrent-streams=1",
        `--connect-to=${address}`,
        `--input-file=${urlsFile}`,
        `--log-file=${LOG_FILE}`,
        ...("seconds" in bound ? [`--duration=${bound.seconds}`] : [`--requests=${bound.requests}`]),
        `--header=:method:${method}`,
        ...(bodyFile === undefined ? [] : [`--data=${bodyFile}`]),
    ];
    return [
        `rm -f ${LOG_FILE}`,
        `timeout ${LIMIT_SECONDS} h2load ${options.join(" ")} > /tmp/h2load.out 2>&1 || { cat /tmp/h2load.out; exit 1; }`,
        `cat ${LOG_FILE}`,
    ].join("\n");
}

/**
 * What h2load's log says: start in microseconds, status, duration in microseconds, a request a line.
 *
 * @throws where no request succeeded.
 */
export function outcomeOf(log: string): LoadOutcome {
    const requests = log
        .split("\n")
        .map((line) => line.trim().split("\t").map(Number))
        .filter((fields) => fields.length === 3);
    const durations = requests.flatMap(([, status = 0, duration = 0]) =>
        status >= 200 && status < 300 ? [duration / 1000] : [],
    );
    if (durations.length === 0) {
        throw new Error(`no request succeeded of ${requests.length}:\n${log.slice(0, 1000)}`);
    }
    const begin = requests.reduce((least, [start = 0]) => Math.min(least, start), Infinity);
    const end = requests.reduce((most, [start = 0, , duration = 0]) => Math.max(most, start + duration), 0);
    return {
        seconds: (end - begin) / 1_000_000,
        succeeded: durations.length,
        failed: requests.length - durations.length,
        latency: {
            p50: quantile(durations, 0.5),
            p99: quantile(durations, 0.99),
            "p99.9": quantile(durations, 0.999),
        },
    };
}
