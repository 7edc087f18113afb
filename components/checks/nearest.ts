/** The word of a list that is closest to a mistyped one, ignoring case. Undefined if none is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
    const [best] = known
        .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
        .sort((one, other) => one.distance - other.distance);
    return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 4)) ? best.candidate : undefined;
}

/**
 * Number of letters to insert, delete, replace or swap with their neighbour to turn one word into the other (optimal string
 * alignment).
 */
function distance(one: string, other: string): number {
    const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
    const at = (row: number, index: number) => rows[row]?.[index] ?? 0;
    for (let row = 1; row <= one.length; row++) {
        rows.push([row]);
        for (let index = 1; index <= other.length; index++) {
            const same = one[row - 1] === other[index - 1];
            const swapped = one[row - 1] === other[index - 2] && one[row - 2] === other[index - 1];
            const ways = [
                at(row - 1, index) + 1,
                at(row, index - 1) + 1,
                at(row - 1, index - 1) + (same ? 0 : 1),
                ...(swapped ? [at(row - 2, index - 2) + 1] : []),
            ];
            rows[row]?.push(Math.min(...ways));
        }
    }
    return at(one.length, other.length);
}

/** Advice for a message about an unknown word: the closest known word, or all known words if none is close. */
export function oneOf(word: string, known: readonly string[]): string {
    const meant = nearest(word, known);
    return meant === undefined ? `give one of ${known.join(", ")}` : `did you mean ${meant}?`;
}
