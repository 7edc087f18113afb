import { isAccepted } from "./accepted";
import type { Outcome } from "./protocol";
import { textOf, type Played } from "./sequencePlay";

/** A way in which the edge answered a command differently than the node. */
export interface Difference {
    /** Place of the command in the sequence. */
    place: number;
    /** The operation; of a request that is none, its method and target. */
    operation: string;
    /** `error`, `status`, `code`, `body`, or `header NAME`. */
    what: string;
    edge: string;
    node: string;
    /** Status, code and message of the edge's response. */
    answer: string;
}

/** Headers of one connection, of one moment, or of one request. */
const PASSING = new Set([
    ...["connection", "keep-alive", "transfer-encoding", "date", "last-modified", "x-amz-request-id", "x-request-id"],
    ...["x-amz-id-2", "x-ratelimit-limit", "x-ratelimit-remaining"],
]);

/** Elements whose content differs from one response to the next. */
const PASSING_ELEMENTS =
    /<(RequestId|HostId|UploadId|VersionId|VersionIdMarker|NextVersionIdMarker|NextUploadIdMarker|LastModified|Initiated|CreationDate)>[^<]*</g;

/**
 * The differences that aren't accepted, of two plays of one sequence. An accepted one may leave other objects at one side: what
 * follows isn't compared then.
 */
export function differencesOf(edge: Played[], node: Played[], buckets: { edge: string; node: string }): Difference[] {
    const found: Difference[] = [];
    for (const [index, played] of edge.entries()) {
        const operation = nameOf(played);
        const sides = [plain(played.outcome, buckets.edge), plain(node[index]?.outcome, buckets.node)] as const;
        const differences = firstDifferences(...sides).map((difference) => ({
            place: index,
            operation,
            answer: answerOf(sides[0]),
            ...difference,
        }));
        const refused = differences.filter((difference) => !isAccepted(difference));
        found.push(...refused);
        if (refused.length < differences.length && differences.some(({ what }) => what === "status")) {
            break;
        }
    }
    return found;
}

function nameOf({ command: { operation, parameters } }: Played): string {
    return operation === "Request" ? `${String(parameters["method"])} ${String(parameters["target"])}` : operation;
}

function answerOf({ status, code, body }: Plain): string {
    return `${status} ${code}: ${/<Message>([^<]*)</.exec(body)?.[1] ?? ""}`;
}

/** What is compared of an outcome. */
interface Plain {
    error: string;
    status: string;
    code: string;
    headers: { [name: string]: string };
    body: string;
}

/** Of outcomes with different errors or status, nothing else is compared. */
function firstDifferences(edge: Plain, node: Plain): Pick<Difference, "what" | "edge" | "node">[] {
    for (const what of ["status", "code", "error"] as const) {
        if (edge[what] !== node[what]) {
            return [{ what, edge: `${edge[what]} ${edge.error}`.trim(), node: `${node[what]} ${node.error}`.trim() }];
        }
    }
    const names = [...new Set([...Object.keys(edge.headers), ...Object.keys(node.headers)])];
    return [
        ...names.map((name) => ({
            what: `header ${name}`,
            edge: edge.headers[name] ?? "missing",
            node: node.headers[name] ?? "missing",
        })),
        { what: "body", edge: edge.body, node: node.body },
    ].filter((difference) => difference.edge !== difference.node);
}

function plain(outcome: Outcome | undefined, bucket: string): Plain {
    if (outcome === undefined) {
        throw new Error("the sequence has been played in part");
    }
    const { status, headers = {}, body, error } = outcome;
    const named = (text: string) => text.replaceAll(bucket, "{bucket}");
    const text = named(textOf(outcome)).replace(PASSING_ELEMENTS, "<$1><");
    const isXml = /^\s*<\?xml|^\s*</.test(text);
    const kept = Object.entries(headers)
        .filter(([name]) => !PASSING.has(name))
        .map(([name, value]) => [name, plainValue(name, named(value), isXml ? String(body.size) : undefined)]);
    return {
        error: error ?? "",
        status: status === undefined ? `no response: ${error ?? ""}` : String(status),
        code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "",
        headers: Object.fromEntries(kept) as Plain["headers"],
        body: isXml ? text : `${body.size} bytes, SHA-256 ${body.sha256}`,
    };
}

function plainValue(name: string, value: string, size: string | undefined): string {
    if (/version-id$/.test(name)) {
        return "a version";
    }
    // The length of a text that names the version or the bucket.
    return name === "content-length" && value === size ? "the body's" : value;
}
