import { createHash } from "node:crypto";
import { differencesOf } from "../../differential/comparison";
import type { Command, Outcome } from "../../differential/protocol";
import { lostObjects, readBackCommands } from "../../differential/readBack";
import type { Played } from "../../differential/sequencePlay";

const BUCKETS = { edge: "edge-000001", node: "node-000001" };

function outcome(
    status: number | undefined,
    text = "",
    headers: { [name: string]: string } = {},
    error?: string,
): Outcome {
    const bytes = Buffer.from(text);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return {
        status,
        headers,
        error,
        body: { size: bytes.length, sha256, base64: bytes.toString("base64") },
        connections: 1,
    };
}

function put(key: string, content: string): Command {
    const body = { block: Buffer.from(content).toString("base64"), size: content.length };
    return { operation: "PutObject", parameters: { Bucket: "{bucket}", Key: key }, body };
}

const head: Command = { operation: "HeadBucket", parameters: { Bucket: "{bucket}" } };

function compared(command: Command, edge: Outcome, node: Outcome): string[] {
    const differences = differencesOf([{ command, outcome: edge }], [{ command, outcome: node }], BUCKETS);
    return differences.map(({ what, edge: atEdge, node: atNode }) => `${what}: ${atEdge}, ${atNode}`);
}

function error(code: string, bucket: string): string {
    return `<?xml version="1.0"?><Error><Code>${code}</Code><BucketName>${bucket}</BucketName><RequestId>${bucket}</RequestId></Error>`;
}

describe("the comparison of edge and node", () => {
    test("names of buckets and ids of requests aren't differences", () => {
        const edge = outcome(
            404,
            error("NoSuchKey", BUCKETS.edge),
            { "x-amz-request-id": "A", date: "1" },
            "NoSuchKey",
        );
        const node = outcome(
            404,
            error("NoSuchKey", BUCKETS.node),
            { "x-amz-request-id": "B", date: "2" },
            "NoSuchKey",
        );
        expect(compared(head, edge, node)).toEqual([]);
    });

    test("another status is one difference, with the error's name", () => {
        const edge = outcome(404, error("NoSuchKey", BUCKETS.edge), {}, "NoSuchKey");
        expect(compared(head, edge, outcome(200, "", { etag: "x" }))).toEqual(["status: 404 NoSuchKey, 200"]);
    });

    test("a lost connection is a difference", () => {
        const edge = outcome(undefined, "", {}, "connection");
        expect(compared(head, edge, outcome(200))).toEqual(["status: no response: connection connection, 200"]);
    });

    test("a missing header, another body and another code are differences", () => {
        expect(compared(head, outcome(200, "a"), outcome(200, "b", { etag: "x" }))).toEqual([
            "header etag: missing, x",
            expect.stringMatching(/^body: 1 bytes/),
        ]);
        const [edge, node] = [outcome(403, error("AccessDenied", "")), outcome(403, error("InvalidAccessKeyId", ""))];
        expect(compared(head, edge, node)).toEqual(["code: AccessDenied, InvalidAccessKeyId"]);
    });

    test("the store's own paths may be closed at the edge, and S3's may not", () => {
        const answer = "<?xml?><Error><Code>AccessDenied</Code><Message>This path is closed here</Message></Error>";
        const [closed, open] = [outcome(403, answer), outcome(200)];
        const request = (target: string): Command => ({ operation: "Request", parameters: { method: "GET", target } });
        expect(compared(request("/minio/admin/v3/info"), closed, open)).toEqual([]);
        expect(compared(request("/{bucket}/a"), closed, open)).toEqual(["status: 403, 200"]);
    });

    test("after an accepted refusal, objects of both sides aren't compared any more", () => {
        const refusal =
            "<?xml?><Error><Code>AccessDenied</Code><Message>Only replication may set this metadata</Message></Error>";
        const get: Command = { operation: "GetObject", parameters: { Bucket: "{bucket}", Key: "a" } };
        const play = (first: Outcome, second: Outcome): Played[] => [
            { command: put("a", "one"), outcome: first },
            { command: get, outcome: second },
        ];
        const node = play(outcome(200), outcome(200, "one"));
        expect(differencesOf(play(outcome(403, refusal), outcome(404)), node, BUCKETS)).toEqual([]);
        expect(differencesOf(play(outcome(403), outcome(404)), node, BUCKETS)).toHaveLength(2);
    });

    test("the scheme of a location may differ, and nothing else of it", () => {
        const complete: Command = { operation: "CompleteMultipartUpload", parameters: {} };
        const location = (url: string) => outcome(200, `<?xml version="1.0"?><Location>${url}</Location>`);
        expect(compared(complete, location("https://s3/a"), location("http://s3/a"))).toEqual([]);
        expect(compared(complete, location("https://s3/a"), location("http://s3/b"))).toHaveLength(1);
    });
});

describe("what the edge has acknowledged", () => {
    const lost = (played: [Command, Outcome][], read: Outcome) => {
        const commands = played.map(([command]) => command);
        const [get, probe] = readBackCommands(commands);
        const all = [...played, [get, read], [probe, outcome(200)]] as [Command, Outcome][];
        const edge: Played[] = all.map(([command, of]) => ({ command, outcome: of }));
        return lostObjects(edge, commands.length).map(({ place, edge: answer }) => `${place}: ${answer.trim()}`);
    };

    test("is read back", () => {
        expect(lost([[put("a", "one"), outcome(200)]], outcome(200, "one"))).toEqual([]);
        expect(lost([[put("a", "one"), outcome(200)]], outcome(500, "", {}, "InternalError"))).toEqual([
            "1: 500 InternalError",
        ]);
        expect(lost([[put("a", "one"), outcome(200)]], outcome(200, "two"))).toEqual(["1: 200"]);
    });

    test("stays when a later upload is refused", () => {
        const played: [Command, Outcome][] = [
            [put("a", "one"), outcome(200)],
            [put("a", "two"), outcome(412)],
        ];
        expect(lost(played, outcome(200, "one"))).toEqual([]);
        expect(lost(played, outcome(200, "two"))).toEqual(["2: 200"]);
    });

    test("isn't known after an upload without a response, and after a deletion", () => {
        const first: [Command, Outcome] = [put("a", "one"), outcome(200)];
        expect(lost([first, [put("a", "two"), outcome(undefined)]], outcome(200, "two"))).toEqual([]);
        const deletion: Command = { operation: "DeleteObject", parameters: { Bucket: "{bucket}", Key: "a" } };
        expect(lost([first, [deletion, outcome(204)]], outcome(404))).toEqual([]);
    });
});
