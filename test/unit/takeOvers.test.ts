import { minioProfile, rustfsProfile, serviceProfile } from "../../components";
import { formatFilesFor, ownersFor, readLayout, takeOverBetween } from "../../components/store/profiles/takeOvers";

/** As MinIO of February 2026 writes it. */
const FORMAT = {
    version: "1",
    format: "xl-single",
    id: "83d6d505-f8ca-4270-8e57-e1c5ea47c52c",
    xl: { version: "3", this: "one", sets: [["one"]], distributionAlgo: "SIPMOD+PARITY" },
};

describe("which store takes over the drives of which", () => {
    test("RustFS those of MinIO, and MinIO gets them back; no others", () => {
        expect(takeOverBetween("minio", "rustfs")).toMatchObject({ needsFormer: true });
        expect(takeOverBetween("rustfs", "minio")).toMatchObject({ needsFormer: false });
        expect(takeOverBetween("rustfs", "rustfs")).toBeUndefined();
        expect(takeOverBetween("service", "rustfs")).toBeUndefined();
    });

    test("so RustFS's drives may have MinIO's format file and owner, and the other way round", () => {
        expect(formatFilesFor(rustfsProfile)).toEqual([rustfsProfile.formatFile, minioProfile.formatFile]);
        expect(ownersFor(minioProfile)).toEqual(["1000:1000", "10001:10001"]);
        expect(formatFilesFor(serviceProfile)).toEqual([serviceProfile.formatFile]);
    });
});

describe("the layout file of a drive", () => {
    test("names its drive and its erasure sets", () => {
        expect(readLayout(JSON.stringify(FORMAT))).toEqual({ sets: [["one"]], drive: "one" });
        expect(readLayout(JSON.stringify({ ...FORMAT, format: "xl" }))).toMatchObject({ drive: "one" });
    });

    test.each([
        ["a missing one", undefined, "is missing"],
        ["MinIO's file system mode", JSON.stringify({ version: "1", format: "fs" }), 'has format "fs" of version "1"'],
        [
            "an older erasure format",
            JSON.stringify({ ...FORMAT, xl: { ...FORMAT.xl, version: "1" } }),
            'has erasure format "1"',
        ],
        ["a newer version", JSON.stringify({ ...FORMAT, version: "2" }), 'of version "2"'],
        ["a damaged one", "{", 'has format "undefined"'],
    ])("%s can't be taken over", (_, text, reason) => {
        expect(readLayout(text)).toContain(reason);
    });
});
