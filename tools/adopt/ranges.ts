/** The strings that a pattern with ranges such as `/data{1...4}` stands for, the last range varying fastest. */
export function expandRanges(pattern: string): string[] {
    const [whole, before = "", first = "", last = ""] = /^(.*?)\{(\d+)\.\.\.(\d+)\}/.exec(pattern) ?? [];
    if (whole === undefined) {
        return [pattern];
    }
    const numbers = Array.from({ length: Math.max(0, Number(last) - Number(first) + 1) }, (_, place) =>
        // As the stores do: "{01...16}" keeps its zeros.
        String(Number(first) + place).padStart(first.startsWith("0") ? first.length : 0, "0"),
    );
    const rest = expandRanges(pattern.slice(whole.length));
    return numbers.flatMap((number) => rest.map((end) => `${before}${number}${end}`));
}
