import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Uploads 1 GiB in one request or in parts, and downloads it. The whole content is never in memory. */
export async function transferGibibyte(client: S3Client, bucket: string, inParts: boolean): Promise<void> {
    const sent = createHash("sha256");
    const target = { Bucket: bucket, Key: inParts ? "gibibyte-in-parts" : "gibibyte" };
    const body = Readable.from(gibibyte((piece) => sent.update(piece)));
    if (inParts) {
        await new Upload({ client, params: { ...target, Body: body } }).done();
    } else {
        await client.send(new PutObjectCommand({ ...target, Body: body, ContentLength: GIB }));
    }

    const received = createHash("sha256");
    const answer = await client.send(new GetObjectCommand(target));
    expect(answer.ContentLength).toBe(GIB);
    for await (const piece of answer.Body as AsyncIterable<Uint8Array>) {
        received.update(piece);
    }
    expect(received.digest("hex")).toBe(sent.digest("hex"));
}

/** Pieces of 1 MiB, each one different. */
function* gibibyte(onPiece: (piece: Buffer) => void): Generator<Buffer> {
    const random = randomBytes(MIB);
    for (let number = 0; number < GIB / MIB; number++) {
        const piece = Buffer.from(random);
        piece.writeUInt32LE(number);
        onPiece(piece);
        yield piece;
    }
}
