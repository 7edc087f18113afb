/** The part of a stream that is used. */
interface Output {
    on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Ignores that nobody reads a program's output any more, since Pulumi was killed. Otherwise Pulumi's SDK reports the failed
 * write as an unhandled error, by another write, without end: the program never ends, and takes more and more memory.
 */
export function ignoreLostOutput(outputs: Output[]): void {
    for (const output of outputs) {
        output.on("error", (error) => {
            if (error.code !== "EPIPE") {
                throw error;
            }
        });
    }
}
