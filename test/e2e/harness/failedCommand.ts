/** A command's failure, with all that it printed: what Pulumi says went wrong first, since a log of CI may be cut behind that. */
export function failedCommand(command: string, status: number | string | null, output: string): Error {
    const place = output.indexOf("\nDiagnostics:\n");
    const ordered = place < 0 ? output : `${output.slice(place + 1)}\n${output.slice(0, place)}`;
    return new Error(`${command} ended with ${status}:\n${ordered}`);
}
