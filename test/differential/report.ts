import type { Comparison } from "./sides";
import type { Command, Outcome } from "./protocol";

const LONGEST_VALUE = 60;
const LONGEST_LIST = 4;

/** A sequence with what came of it at edge and node, one line for each command, and its differences below it. */
export function reportOf({ edge, node, differences }: Comparison): string {
    const lines = edge.flatMap(({ command, outcome }, index) => {
        const [edgeSays, nodeSays] = [saying(outcome), saying(node[index]?.outcome)];
        const same = edgeSays === nodeSays;
        return [
            `${String(index + 1).padStart(3)}. ${textOf(command)}`,
            same ? `       edge and node: ${edgeSays}` : `       edge: ${edgeSays}\n       node: ${nodeSays}`,
            ...differences
                .filter((difference) => difference.place === index)
                .map(
                    ({ what, edge: e, node: n }) =>
                        `     ≠ ${what}: edge ${shortened(e, 300)}, node ${shortened(n, 300)}`,
                ),
        ];
    });
    return lines.join("\n");
}

/** A command in one line. */
export function textOf({ operation, parameters, body, headers, ...how }: Command): string {
    const { Bucket: bucket, ...others } = parameters;
    const words = Object.entries({ ...(bucket === "{bucket}" ? {} : { Bucket: bucket }), ...others, ...how })
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => `${name}=${valueText(value)}`);
    const bodyText = body === undefined ? [] : [`body of ${body.size} bytes`];
    const end = body?.endsAt === undefined ? [] : [`ended after ${body.endsAt}`];
    const headerText = headers === undefined ? [] : [`headers ${valueText(Object.fromEntries(headers))}`];
    return [operation, ...words, ...bodyText, ...end, ...headerText].join(" ");
}

function valueText(value: unknown): string {
    if (typeof value === "string") {
        return shortened(/^[\w{}"*.:/-]+$/.test(value) ? value : JSON.stringify(value), LONGEST_VALUE);
    }
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (entries.length > LONGEST_LIST && !Array.isArray(value)) {
        const first = entries[0]?.map(String).join(": ");
        return `{${entries.length} pairs: ${shortened(first ?? "", LONGEST_VALUE)}, …}`;
    }
    return shortened(JSON.stringify(value), 4 * LONGEST_VALUE);
}

function saying(outcome: Outcome | undefined): string {
    if (outcome === undefined) {
        return "nothing";
    }
    const { status, error, detail = "", connections } = outcome;
    const reason = status === undefined ? ` (${shortened(detail, 120)})` : "";
    return `${status ?? "no response"} ${error ?? ""}${reason} on connection ${connections}`.replace("  ", " ");
}

function shortened(text: string, longest: number): string {
    return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}
