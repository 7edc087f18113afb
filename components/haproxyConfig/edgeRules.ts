import { s3Error } from "./errors";
import { namesOf, type HaproxyStore } from "./haproxyStore";

/** Refuses a request with an error in S3's own format. */
export function refuseWith(message: string): string {
    return `http-request return status 403 content-type application/xml string '${s3Error("AccessDenied", message)}'`;
}

/** Refuses what the store would accept although it should not. The profile says what that is. */
export function edgeRules(store: HaproxyStore): string[] {
    return [...unverifiedUploadRules(store), ...replicatedMetadataRules(store), ...sharedObjectRules(store)];
}

/**
 * Refuses uploads that the store would accept without verifying their signature. Queries that can't be decoded are refused
 * with them.
 */
function unverifiedUploadRules({ cluster, ...store }: HaproxyStore): string[] {
    if (cluster.unverifiedUploads === undefined) {
        return [];
    }
    const { payload, verifiedAuthorization, queryParameters, headers } = cluster.unverifiedUploads;
    const { prefix } = namesOf(store);
    const [unverified, verifiable] = [`${prefix}unverified_payload`, `${prefix}verifiable_signature`];
    const conditions = [
        `!${verifiable}`,
        "{ req.fhdr_cnt(authorization) gt 1 }",
        ...queryParameters.flatMap((parameter) => [`{ query,url_dec -m sub -i ${parameter} }`]),
        ...(queryParameters.length === 0 ? [] : ["{ query -m found } !{ query,url_dec -m found }"]),
        ...headers.map((header) => `{ req.fhdr(${header}) -m found }`),
    ];
    return [
        `acl ${unverified} req.fhdr(x-amz-content-sha256) -m sub -i ${payload}`,
        ...(verifiedAuthorization === undefined
            ? []
            : [`acl ${verifiable} req.fhdr(authorization) -m beg '${verifiedAuthorization} '`]),
        ...(verifiedAuthorization === undefined ? [""] : conditions).map((condition) =>
            refuseOnBoth(store, "The signature of this upload is not verified", `${unverified} ${condition}`.trim()),
        ),
    ];
}

/** Refuses metadata that only the store's replication may set, unless the store asks for the permission to replicate. */
function replicatedMetadataRules({ cluster, ...store }: HaproxyStore): string[] {
    if (cluster.replicatedMetadata === undefined) {
        return [];
    }
    const { permitted, completedBy } = cluster.replicatedMetadata;
    const [prefix, header] = [cluster.replicatedMetadata.prefix.toLowerCase(), permitted.header.toLowerCase()];
    const [metadata, permission] = ["replicated_metadata", "permitted_replication"].map(
        (name) => `${namesOf(store).prefix}${name}`,
    );
    const message = "Only replication may set this metadata";
    return [
        `acl ${metadata} req.hdr_names(:) -m sub ${prefix}`,
        // The store reads the first of several headers.
        `acl ${permission} req.fhdr(${header}) -m str ${permitted.value}`,
        refuseOnBoth(store, message, `{ query,url_dec -m sub -i ${prefix} }`),
        refuseOnBoth(store, message, `${metadata} { req.fhdr(x-amz-copy-source) -m found }`),
        refuseOnBoth(store, message, `${metadata} { req.fhdr_cnt(${header}) gt 1 }`),
        refuseOnBoth(store, message, `${metadata} !${permission} !METH_POST`),
        refuseOnBoth(store, message, `${metadata} !${permission} !{ url_param(${completedBy}) -m found }`),
    ];
}

/** A share link of the console may only lead to an object: the URL in it has a bucket, a key and a signature. */
function sharedObjectRules({ cluster, ...store }: HaproxyStore): string[] {
    if (cluster.sharedObjects === undefined) {
        return [];
    }
    const { path, reserved } = cluster.sharedObjects;
    const { consoleAcl, prefix } = namesOf(store);
    const [link, ofObject, upwards] = ["shared_link", "shared_object", "shared_upwards"].map(
        (name) => `${prefix}${name}`,
    );
    const object = `'^https?://[^/?#@]+/(?!${reserved}/)[A-Za-z0-9][A-Za-z0-9._:-]{1,61}[A-Za-z0-9]/[^?#]+[?].*X-Amz-Signature='`;
    return [
        ...["path", "resolved_path"].map((reading) => `acl ${link} var(txn.${reading}) -m beg ${path}`),
        `http-request set-var(txn.shared) var(txn.path),field(${path.split("/").length},/),ub64dec if ${consoleAcl} ${link}`,
        `acl ${ofObject} var(txn.shared) -m reg ${object}`,
        `acl ${upwards} var(txn.shared),field(1,?),url_dec -m reg '/[.]{1,2}(?:/|$)'`,
        `${refuseWith("This is not a link to an object")} if ${consoleAcl} ${link} !${ofObject} or ${consoleAcl} ${link} ${upwards}`,
    ];
}

/** Refuses requests to either hostname of a store. */
function refuseOnBoth(store: Pick<HaproxyStore, "name">, message: string, condition: string): string {
    const { s3Acl, consoleAcl } = namesOf(store);
    return `${refuseWith(message)} if ${[s3Acl, consoleAcl].map((host) => `${host} ${condition}`).join(" or ")}`;
}
