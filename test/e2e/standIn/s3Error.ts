/** An error of S3, with its own code. */
export class S3Error extends Error {
    constructor(
        readonly code: string,
        readonly status: number,
        message: string,
    ) {
        super(message);
    }
}
