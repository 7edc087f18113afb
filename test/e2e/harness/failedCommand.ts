/**
 * The failure of a command, with its whole output. Pulumi's error message comes first, because a CI log may be cut off
 * at the end.
 */
export function failedCommand(command: string, status: number | string | null, output: string): Error {
    const place = output.indexOf("\nDiagnostics:\n");
    const ordered = place < 0 ? output : `${output.slice(place + 1)}\n${output.slice(0, place)}`;
    return new Error(`${command} ended with ${status}:\n${ordered}`);
}
