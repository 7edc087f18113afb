import type { Difference } from "./comparison";

/** A difference between edge and node that is meant, or that can't be otherwise. */
interface Accepted {
    reason: string;
    /** The operation; of a request that is none, its method and target. */
    operation: RegExp;
    /** What differs. */
    what: RegExp;
    edge?: RegExp;
    node?: RegExp;
}

/** All of them. Every other difference is a defect. */
export const ACCEPTED: Accepted[] = [
    {
        reason: "the store's own APIs are closed at the edge",
        operation: /^[A-Z]+ \/(minio|rustfs|profile)\//,
        what: /^status$/,
        edge: /^403\b/,
    },
    {
        reason: "a client that ends its upload half-way sees an early refusal before, or doesn't",
        operation: /^(PutObject|UploadPart)$/,
        what: /^status$/,
        edge: /^4\d\d/,
        node: /aborted/,
    },
    {
        reason: "the same, the other way round",
        operation: /^(PutObject|UploadPart)$/,
        what: /^status$/,
        edge: /aborted/,
        node: /^4\d\d/,
    },
];

export function isAccepted({ operation, what, edge, node }: Difference): boolean {
    return ACCEPTED.some(
        (accepted) =>
            accepted.operation.test(operation) &&
            accepted.what.test(what) &&
            (accepted.edge?.test(edge) ?? true) &&
            (accepted.node?.test(node) ?? true),
    );
}
