import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script, withParameters } from "../../../../components/docker/script";

describe("objects on a drive that another store can't read", () => {
    let drive: string;

    beforeEach(() => (drive = mkdtempSync(join(tmpdir(), "drive-"))));

    afterEach(() => rmSync(drive, { recursive: true }));

    const write = (object: string, text: string, file = "xl.meta") => {
        mkdirSync(join(drive, object), { recursive: true });
        writeFileSync(join(drive, object, file), text);
    };

    const found = (limit = 10, places = [drive]) => {
        const parameters = {
            _OLD_FILE: "xl.json",
            _FILE: "xl.meta",
            _MARKERS: "compressed:-internal-compression encrypted:-internal-server-side-encryption",
            _DAMAGED: "damaged",
            _LIMIT: limit,
        };
        const text = withParameters(parameters, script(join(__dirname, "../../../../migration"), "scanDrives.sh"));
        const output = execFileSync("/bin/sh", ["-c", text, "scan", ...places], { encoding: "utf8" });
        return output
            .split("\0")
            .filter((line) => line !== "")
            .map((line) => line.replace(`${drive}/`, ""))
            .sort();
    };

    test("are found in every folder, by their metadata", () => {
        for (let index = 0; index < 40; index++) {
            write(`bucket/plain/${index}`, `XL2 \0\xc4 of object ${index}`);
        }
        write("bucket/plain/33", "XL2 \0\xc4X-Minio-Internal-compression\0klauspost");
        write("bucket/a folder/with 'odd' name/.hidden", "XL2 x-MINIO-internal-Server-Side-Encryption-Iv");
        write("bucket/old", "{}", "xl.json");
        write(".minio.sys/config", "X-Minio-Internal-compression");
        expect(found()).toEqual([
            "compressed bucket/plain/33",
            "encrypted bucket/a folder/with 'odd' name/.hidden",
            "older bucket/old",
        ]);
    });

    test("are found among those whose metadata files are given, which need not exist", () => {
        write("bucket/plain", "XL2");
        write("bucket/a folder/it's", "XL2 X-Minio-Internal-compression");
        write("bucket/old", "{}", "xl.json");
        write("bucket/another", "XL2 X-Minio-Internal-compression");
        const placesOf = (keys: string[]) => keys.map((key) => join(drive, "bucket", key, "xl.meta"));
        const some = ["compressed bucket/a folder/it's", "older bucket/old"];
        expect(found(10, placesOf(["plain", "a folder/it's", "old", "missing"]))).toEqual(some);
        expect(found(10, placesOf(["a folder/it's", "old", "plain"]))).toEqual(some);
    });

    test("the data of objects isn't searched, and the number of results is limited", () => {
        write("bucket/large", "XL2");
        write("bucket/large/0d3c", "X-Minio-Internal-compression", "part.1");
        expect(found()).toEqual([]);
        for (let index = 0; index < 20; index++) {
            write(`bucket/${index}`, "X-Minio-Internal-compression");
        }
        expect(found(3)).toHaveLength(3);
    });

    test("are found beside an object whose key ends in the name of a data file, and below folders with two dots", () => {
        write("bucket/upload/part.1", "XL2");
        write("bucket/upload/part.2", "X-Minio-Internal-compression");
        write("bucket/..folder/object", "X-Minio-Internal-compression");
        write("bucket/..object", "X-Minio-Internal-compression");
        write("bucket/..old", "{}", "xl.json");
        expect(found()).toEqual([
            "compressed bucket/..folder/object",
            "compressed bucket/..object",
            "compressed bucket/upload/part.2",
            "older bucket/..old",
        ]);
    });

    /** A metadata file as stores write it: metadata, and the data of a small object. */
    const stored = (metadata: string, data: string, kind: 8 | 16 | 32 = 32) => {
        const length = Buffer.alloc(kind / 8);
        length.writeUIntBE(metadata.length, 0, kind / 8);
        const head = Buffer.from([...Buffer.from("XL2 "), 1, 0, 3, 0, { 8: 0xc4, 16: 0xc5, 32: 0xc6 }[kind]]);
        return Buffer.concat([head, length, Buffer.from(metadata), Buffer.from([0xce, 1, 2, 3, 4]), Buffer.from(data)]);
    };

    test.each([8, 16, 32] as const)(
        "are found by their metadata alone, not by the data of small objects beside it (bin %d)",
        (kind) => {
            const marker = "X-Minio-Internal-compression";
            const long = kind === 8 ? "" : "x".repeat(300);
            mkdirSync(join(drive, "bucket/data"), { recursive: true });
            writeFileSync(
                join(drive, "bucket/data/xl.meta"),
                stored(`${long} plain`, `text of a client: ${marker}`, kind),
            );
            mkdirSync(join(drive, "bucket/compressed"));
            writeFileSync(join(drive, "bucket/compressed/xl.meta"), stored(`${long}${marker}`, "", kind));
            expect(found()).toEqual(["compressed bucket/compressed"]);
        },
    );

    test("are named as they are, also if a key has a newline", () => {
        write("bucket/one\ncompressed bucket/forged", "X-Minio-Internal-compression");
        expect(found()).toEqual(["compressed bucket/one\ncompressed bucket/forged"]);
    });

    test("are also those whose metadata can't be read; an object with a key below that name is none", async () => {
        write("bucket/plain", "XL2 !");
        write("bucket/key/xl.meta/below", "XL2");
        mkdirSync(join(drive, "bucket/damaged"));
        // Not even root can read it as a file.
        const socket = createServer();
        await new Promise<void>((resolve) => socket.listen(join(drive, "bucket/damaged/xl.meta"), resolve));
        expect(found()).toEqual(["damaged bucket/damaged"]);
        expect(found(10, [join(drive, "bucket/damaged/xl.meta")])).toEqual(["damaged bucket/damaged"]);
        await new Promise((resolve) => socket.close(resolve));
    });

    test("an empty drive has none", () => expect(found()).toEqual([]));
});
