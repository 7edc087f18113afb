/** Number of lines of a failure's reason in the report of a whole run. */
const REASON_LINES = 30;

/** Longest line of a reason. */
const LINE_LENGTH = 400;

/** Lines that mostly say why something failed, wherever in a long output they are. */
const TELLING = /error|can't|cannot|refused|failed/i;

/**
 * The part of a failure's message that says why: its first line, then the lines that name an error, in which a diff is poor
 * and a program's output rich, then what is left from the beginning.
 */
export function reasonIn(message: string): string[] {
    const lines = message
        .split("\n")
        .map((line) => line.trimEnd().slice(0, LINE_LENGTH))
        .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
    const [first, ...others] = lines;
    if (first === undefined) {
        return [];
    }
    const telling = others.filter((line) => TELLING.test(line));
    const rest = others.filter((line) => !TELLING.test(line));
    return [first, ...new Set([...telling, ...rest])].slice(0, REASON_LINES);
}
