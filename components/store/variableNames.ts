/** Whether a name matches a list of patterns. A pattern that ends with `*` matches all names with that prefix. */
export function isNamed(name: string, patterns: readonly string[]): boolean {
    return patterns.some((pattern) =>
        pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
}
