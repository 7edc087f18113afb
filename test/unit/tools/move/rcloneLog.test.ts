import { RcloneLog } from "../../../../tools/move/rcloneLog";

const gone = (key: string) =>
    `2026/11/25 00:36:56 ERROR : chaos/${key}: Failed to copy: failed to open source object: object not found`;
const summary = (count: number) => [
    `2026/11/25 00:37:05 ERROR : Attempt 1/1 failed with ${count} errors and: failed to open source object: object not found`,
    "2026/11/25 00:37:05 NOTICE: Failed to copy: failed to open source object: object not found",
];

function logOf(...lines: string[]): RcloneLog {
    const log = new RcloneLog();
    lines.forEach((line) => log.add(line));
    return log;
}

test("objects that clients deleted while they were copied are no failure", () => {
    expect(logOf(gone("a"), ...summary(1)).explains(4)).toBe(true);
    // Two programs ran beside each other.
    expect(logOf(gone("a"), gone("b"), ...summary(1), ...summary(1)).explains(1)).toBe(true);
    expect(logOf(...summary(1)).explains(1)).toBe(false);
});

test.each([7, 9, 125, 137, 143])("an rclone that gave up or was killed is a failure: code %d", (code) =>
    expect(logOf(gone("a"), ...summary(1)).explains(code)).toBe(false),
);

test.each([
    "2026/11/25 00:36:56 ERROR : chaos/b: Failed to copy: AccessDenied: no",
    "2026/11/25 00:36:56 ERROR : S3 root: error reading source root directory: no",
    "2026/11/25 00:36:56 CRITICAL: Failed to create file system",
    "Killed",
    "fatal error: out of memory",
])("any other failure is one: %s", (line) => {
    const log = logOf(gone("a"), line, ...summary(1));
    expect(log.explains(1)).toBe(false);
    expect(log.text).toContain(line);
});

test("a failure whose line was lost is one: rclone counts more of them", () => {
    expect(logOf(gone("a"), ...summary(2)).explains(1)).toBe(false);
});
