/** Variables in the format that a shell reads. Every value is quoted, whatever it contains. */
export function environmentText(values: { [name: string]: string }): string {
    return Object.entries(values)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`)
        .join("");
}

/** Parses the text that {@link environmentText} has written. */
export function readEnvironmentFile(text: string): { [name: string]: string } {
    const lines = text.matchAll(/^([A-Za-z_][A-Za-z0-9_]*)='((?:[^']|'\\'')*)'$/gm);
    return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value.replaceAll(`'\\''`, "'")]));
}
