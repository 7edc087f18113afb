/** What a command that looks for problems says at its end, before it lists them: `Healthy`, or `2 problems:`. */
export function verdictOn(problems: number): string {
    return problems === 0 ? "Healthy" : `${problems} ${problems === 1 ? "problem" : "problems"}:`;
}
