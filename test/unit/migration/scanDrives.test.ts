import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script, withParameters } from "../../../components/engine/script";

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
            _LIMIT: limit,
        };
        const text = withParameters(parameters, script(join(__dirname, "../../../migration"), "scanDrives.sh"));
        const output = execFileSync("/bin/sh", ["-c", text, "scan", ...places], { encoding: "utf8" });
        return output
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => line.replace(`${drive}/`, ""))
            .sort();
    };

    test("are found in every folder, by their metadata", () => {
        for (let place = 0; place < 40; place++) {
            write(`bucket/plain/${place}`, `XL2 \0\xc4 of object ${place}`);
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
        for (let place = 0; place < 20; place++) {
            write(`bucket/${place}`, "X-Minio-Internal-compression");
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

    test("an empty drive has none", () => expect(found()).toEqual([]));
});
