/** The strings that a pattern with ranges such as `/data{1...4}` stands for. As in the stores, the first range varies fastest. */
export function expandRanges(pattern: string): string[] {
    const [whole, first = "", last = "", after = ""] =
        /\{(\d+)\.\.\.(\d+)\}((?:(?!\{\d+\.\.\.\d+\}).)*)$/s.exec(pattern) ?? [];
    if (whole === undefined) {
        return [pattern];
    }
    const numbers = Array.from({ length: Math.max(0, Number(last) - Number(first) + 1) }, (_, index) =>
        // As the stores do: "{01...16}" keeps its zeros.
        String(Number(first) + index).padStart(first.startsWith("0") ? first.length : 0, "0"),
    );
    const before = expandRanges(pattern.slice(0, -whole.length));
    return numbers.flatMap((number) => before.map((start) => start + number + after));
}
