/** The URL of a hostname, with its port unless that is 443. */
export function url(hostname: string, httpsPort: number): string {
    return `https://${hostname}${httpsPort === 443 ? "" : `:${httpsPort}`}`;
}
