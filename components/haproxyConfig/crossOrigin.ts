import { namesOf, type HaproxyStore } from "./haproxyStore";

/**
 * Web pages of other origins may read the proxy's own answers in place of S3, such as 503: their texts are the same for
 * everybody. What may be read of the store's answers is the store's to decide. To be placed before all rules that answer a
 * request of S3.
 */
export function crossOriginRules(stores: HaproxyStore[]): string[] {
    const hosts = stores.map((store) => namesOf(store).s3Acl).join(" or ");
    return [
        `http-request set-var(txn.of_s3) bool(true) if ${hosts}`,
        "http-after-response set-header Access-Control-Allow-Origin * if { var(txn.of_s3) -m bool } !{ var(txn.answered) -m bool }",
    ];
}

/** Lines of an S3 backend: whether the answer is that of a server. */
export const ANSWERED_BY_SERVER = ["http-response set-var(txn.answered) bool(true)"];
