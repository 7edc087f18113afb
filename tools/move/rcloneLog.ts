/** Number of lines that a message shows. */
const SHOWN_LINES = 20;

/** Largest exit code with which rclone ends if all that failed were single objects; a larger one means that it was ended. */
const LARGEST_CODE = 6;

/** What rclone says while it runs. */
export class RcloneLog {
    private readonly lines: string[] = [];
    private deleted = 0;
    private failed = 0;
    /** Number of failures by rclone's own count. */
    private counted = 0;

    add(line: string): void {
        const [, count] = / ERROR : Attempt \d+\/\d+ failed with (\d+) errors?\b/.exec(line) ?? [];
        if (count !== undefined) {
            this.counted += Number(count);
        } else if (/ ERROR : .*: Failed to copy: failed to open source object: object not found$/.test(line)) {
            this.deleted++;
        } else if (/ NOTICE: /.test(line)) {
            // The summary of the failures.
        } else if (/^\d{4}\/\d\d\/\d\d [\d:]+ (INFO|DEBUG) /.test(line) || line.trim() === "") {
            return;
        } else {
            this.failed++;
        }
        this.lines.push(line);
        this.lines.splice(0, this.lines.length - SHOWN_LINES);
    }

    /** Whether the exit code only means that clients have deleted objects since they were listed. */
    explains(code: number): boolean {
        return code <= LARGEST_CODE && this.deleted > 0 && this.failed === 0 && this.deleted === this.counted;
    }

    get text(): string {
        return this.lines.join("\n");
    }
}
