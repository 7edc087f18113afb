import { canMigrate, profileNames } from "../../../components/store/profiles/all";
import { migrationBetween, readLayout } from "../../../migration/supported";

/** As MinIO of February 2026 writes it. */
const FORMAT = {
    version: "1",
    format: "xl-single",
    id: "83d6d505-f8ca-4270-8e57-e1c5ea47c52c",
    xl: { version: "3", this: "one", sets: [["one"]], distributionAlgo: "SIPMOD+PARITY" },
};

describe("which store's drives can be migrated to which", () => {
    test("MinIO's to RustFS and back, no others", () => {
        expect(migrationBetween("minio", "rustfs")).toMatchObject({ needsFormer: true });
        expect(migrationBetween("rustfs", "minio")).toMatchObject({ needsFormer: false });
        expect(migrationBetween("rustfs", "rustfs")).toBeUndefined();
        expect(migrationBetween("service", "rustfs")).toBeUndefined();
    });

    test.each(profileNames.flatMap((from) => profileNames.map((to) => [from, to] as const)))(
        "from %s to %s: what an update says of the command is what the command does",
        (from, to) => {
            expect(canMigrate(from, to)).toBe(migrationBetween(from, to) !== undefined);
        },
    );
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
