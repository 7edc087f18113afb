/** The URL of a hostname, with its port where that is not the usual one. */
export function url(hostname: string, httpsPort: number): string {
    return `https://${hostname}${httpsPort === 443 ? "" : `:${httpsPort}`}`;
}
