import { checkStoreReference } from "../storeClient/storeReference";
import { shown } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import { checkBucketName, checkPrefix } from "./bucketChecks";
import { checkDocument, partsOf, type KnownPolicyArgs, type KnownPolicyGrants } from "./policyDocument";

/** Words of the short form. */
const GRANTS = ["read", "write", "readWrite"] as const;

/** Checks the name of a policy or of an access key. */
export function checkName(propertyPath: string, name: string): Problem[] {
    return /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/.test(name)
        ? []
        : [{ propertyPath, reason: `${shown(name)} is not allowed: give letters, digits and hyphens, 128 at most` }];
}

/** Every problem of a policy's args that can be found without asking the store. */
export function checkPolicy(args: KnownPolicyArgs): Problem[] {
    const { document } = args;
    const given = GRANTS.filter((grant) => args[grant] !== undefined);
    return [
        ...checkStoreReference("store", args.store),
        ...(args.policyName === undefined ? [] : checkName("policyName", args.policyName)),
        ...checkGrants(args),
        ...(document !== undefined && given.length > 0
            ? [{ propertyPath: "document", reason: `and ${given.join(", ")} exclude each other: give one form` }]
            : []),
        ...(document === undefined && given.length === 0
            ? [{ propertyPath: "document", reason: "is missing: give it, or read, write or readWrite" }]
            : []),
        ...(document === undefined ? [] : checkDocument("document", document)),
    ];
}

/** Every problem of the short form. */
export function checkGrants(grants: KnownPolicyGrants): Problem[] {
    return GRANTS.flatMap((grant) =>
        (grants[grant] ?? []).flatMap((entry, index) => {
            const { bucket, prefix } = partsOf(entry);
            const path = `${grant}[${index}]`;
            return [...checkBucketName(path, bucket), ...checkPrefix(path, prefix)];
        }),
    );
}
