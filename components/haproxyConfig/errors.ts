/** The body of an error in S3's own format. */
export function s3Error(code: string, message: string): string {
    return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

/**
 * The proxy's own errors in a backend of S3, in S3's format. HAProxy's default is HTML, which S3 clients can't parse; these
 * codes they repeat.
 */
export function ownErrors(): string[] {
    return [
        ["502", "The node closed the connection without a valid response."],
        ["503", "No node is available."],
        ["504", "The node did not respond in time."],
    ].map(
        ([status, message = ""]) =>
            `http-error status ${status} content-type application/xml string '${s3Error("ServiceUnavailable", message)}'`,
    );
}
