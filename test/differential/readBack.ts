import { createHash } from "node:crypto";
import { bytesOf, type Command, type Outcome } from "./protocol";
import type { Difference } from "./comparison";
import type { Played } from "./sequencePlay";

// What the edge has acknowledged can be read back: an invariant of every sequence, whatever the node does.

/** Operations after which the object of their key may be another one. */
const CHANGES_ITS_KEY = /^(DeleteObject|CopyObject|CompleteMultipartUpload)$/;

/** Operations after which any object may be another one. */
const CHANGES_ANY = /^(DeleteObjects|DeleteBucket|CreateBucket|PutBucketVersioning|PostForm)$/;

/** Reads every object that a sequence has a key of, and asks once more on the same connection. */
export function readBackCommands(commands: Command[]): Command[] {
    const keys = new Set(commands.map(({ parameters }) => parameters["Key"]).filter((key) => key !== undefined));
    return [
        ...[...keys].map((Key) => ({ operation: "GetObject", parameters: { Bucket: "{bucket}", Key } })),
        { operation: "HeadBucket", parameters: { Bucket: "{bucket}" } },
    ];
}

/** The objects that the edge has acknowledged, and doesn't return. */
export function lostObjects(edge: Played[], commandsOfSequence: number): Difference[] {
    const acknowledged = new Map<unknown, string>();
    for (const { command, outcome } of edge.slice(0, commandsOfSequence)) {
        note(acknowledged, command, outcome);
    }
    return edge.slice(commandsOfSequence).flatMap(({ command, outcome }, index) => {
        const expected = acknowledged.get(command.parameters["Key"]);
        if (expected === undefined || outcome.body.sha256 === expected) {
            return [];
        }
        const edgeAnswer = `${outcome.status ?? "no response"} ${outcome.error ?? ""}`;
        const difference = { edge: edgeAnswer, node: "200, as acknowledged by the edge", answer: "" };
        return [
            {
                place: commandsOfSequence + index,
                operation: command.operation,
                what: "acknowledged object",
                ...difference,
            },
        ];
    });
}

function note(acknowledged: Map<unknown, string>, command: Command, { status }: Outcome): void {
    const { operation, parameters, body } = command;
    const uncertain = status === undefined || status >= 500 || body?.endsAt !== undefined;
    if (operation === "PutObject" && parameters["Bucket"] === "{bucket}") {
        if (status === 200) {
            acknowledged.set(parameters["Key"], digestOf(command));
        } else if (uncertain) {
            acknowledged.delete(parameters["Key"]);
        }
    } else if (CHANGES_ITS_KEY.test(operation)) {
        acknowledged.delete(parameters["Key"]);
    } else if (CHANGES_ANY.test(operation) || /^(PUT|POST|DELETE|PATCH)$/.test(String(parameters["method"]))) {
        acknowledged.clear();
    }
}

function digestOf({ body }: Command): string {
    const content = body === undefined ? Buffer.alloc(0) : bytesOf(body);
    return createHash("sha256").update(content).digest("hex");
}
