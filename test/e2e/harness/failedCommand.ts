/**
 * The failure of a command, with its whole output. Pulumi's error message comes first, because a CI log may be cut off
 * at the end.
 */
export function failedCommand(command: string, status: number | string | null, output: string): Error {
    const index = output.indexOf("\nDiagnostics:\n");
    const ordered = index < 0 ? output : `${output.slice(index + 1)}\n${output.slice(0, index)}`;
    return new Error(`${command} ended with ${status}:\n${ordered}`);
}
