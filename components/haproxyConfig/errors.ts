/** The body of an error in S3's own format. */
export function s3Error(code: string, message: string): string {
    return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

/**
 * The proxy's own answer 400, in S3's format, on all hostnames: which one is meant may be what is ambiguous. HAProxy's answer to what
 * it can't parse at all stays HTML.
 */
export function refusedRequest(): string {
    return asS3Error("400", "InvalidRequest", "The proxy refuses this request: it is malformed or ambiguous.");
}

/**
 * The proxy's own errors in a backend of S3, in S3's format. HAProxy's default is HTML, which S3 clients can't parse; these
 * codes they repeat.
 */
export function ownErrors(): string[] {
    return [
        asS3Error("502", "ServiceUnavailable", "The node closed the connection without a valid response."),
        asS3Error("503", "ServiceUnavailable", "No node is available."),
        asS3Error("504", "ServiceUnavailable", "The node did not respond in time."),
    ];
}

function asS3Error(status: string, code: string, message: string): string {
    return `http-error status ${status} content-type application/xml string '${s3Error(code, message)}'`;
}
