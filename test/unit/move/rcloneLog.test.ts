import { RcloneLog } from "../../../tools/move/objectCopy";

const GONE = "2026/11/25 00:36:56 ERROR : chaos/a: Failed to copy: failed to open source object: object not found";
const SUMMARY = [
    "2026/11/25 00:37:05 ERROR : Attempt 1/1 failed with 1 errors and: failed to open source object: object not found",
    "2026/11/25 00:37:05 NOTICE: Failed to copy: failed to open source object: object not found",
];

function logOf(...lines: string[]): RcloneLog {
    const log = new RcloneLog();
    lines.forEach((line) => log.add(line));
    return log;
}

test("objects that clients deleted while they were copied are no failure", () => {
    expect(logOf(GONE, ...SUMMARY).isOnlyOfDeleted).toBe(true);
    expect(logOf(...SUMMARY).isOnlyOfDeleted).toBe(false);
});

test("any other failure is one", () => {
    const other = "2026/11/25 00:36:56 ERROR : chaos/b: Failed to copy: AccessDenied: no";
    const log = logOf(GONE, other, ...SUMMARY);
    expect(log.isOnlyOfDeleted).toBe(false);
    expect(log.text).toContain(other);
    expect(logOf("2026/11/25 00:36:56 ERROR : S3 root: error reading source root directory: no").isOnlyOfDeleted).toBe(
        false,
    );
});
