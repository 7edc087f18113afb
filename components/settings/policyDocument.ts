import type { UnwrappedObject } from "@pulumi/pulumi";
import type { Problem } from "../checks/problem";
import type { PolicyArgs, PolicyGrants } from "../args/policyArgs";

/** The args of a policy, all known. */
export type KnownPolicyArgs = UnwrappedObject<PolicyArgs>;

/** The short form, all known. */
export type KnownPolicyGrants = UnwrappedObject<PolicyGrants>;

/** A statement of a policy (Amazon S3 User Guide, "Policies and permissions"). */
export interface PolicyStatement {
    Effect: "Allow";
    Action: string[];
    Resource: string[];
    Condition?: { StringLike: { "s3:prefix": string[] } };
}

const READ = ["s3:GetObject", "s3:GetObjectTagging", "s3:GetObjectVersion"];

const WRITE = [
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
    "s3:PutObjectTagging",
];

/** Checks that a text is a policy, as far as any store can read it. */
export function checkDocument(propertyPath: string, document: string): Problem[] {
    const wrong = (reason: string) => [{ propertyPath, reason: `${reason}: give a policy as JSON` }];
    try {
        const policy = JSON.parse(document) as { Statement?: unknown } | null;
        return Array.isArray(policy?.Statement) ? [] : wrong("has no list Statement");
    } catch (error) {
        return wrong(`is not JSON (${(error as Error).message})`);
    }
}

/** A policy as JSON in the form in which two are compared. */
export function documentOf(args: KnownPolicyGrants & { document?: string }): string {
    return canonical(args.document ?? JSON.stringify({ Version: "2012-10-17", Statement: statementsOf(args) }));
}

/** The statements of the short form. */
export function statementsOf({ read = [], write = [], readWrite = [] }: KnownPolicyGrants): PolicyStatement[] {
    return [
        ...read.flatMap((entry) => statementsFor(entry, READ, true)),
        ...write.flatMap((entry) => statementsFor(entry, WRITE, false)),
        ...readWrite.flatMap((entry) => statementsFor(entry, [...READ, ...WRITE], true)),
    ];
}

function statementsFor(entry: string, actions: string[], lists: boolean): PolicyStatement[] {
    const { bucket, prefix } = partsOf(entry);
    const resource = `arn:aws:s3:::${bucket}`;
    const condition = prefix === "" ? {} : { Condition: { StringLike: { "s3:prefix": [`${prefix}*`] } } };
    const onBucket = actions.includes("s3:PutObject") ? ["s3:ListBucketMultipartUploads"] : [];
    return [
        allow(["s3:GetBucketLocation", ...onBucket], resource),
        ...(lists ? [{ ...allow(["s3:ListBucket", "s3:ListBucketVersions"], resource), ...condition }] : []),
        allow(actions, `${resource}/${prefix}*`),
    ];
}

function allow(actions: string[], resource: string): PolicyStatement {
    return { Effect: "Allow", Action: actions, Resource: [resource] };
}

/** A bucket, and the beginning of keys after its name and a slash. */
export function partsOf(entry: string): { bucket: string; prefix: string } {
    const slash = entry.indexOf("/");
    return slash < 0
        ? { bucket: entry, prefix: "" }
        : { bucket: entry.slice(0, slash), prefix: entry.slice(slash + 1) };
}

/**
 * A policy in one spelling, whichever way a store returns it: names of properties in order, single values as lists, lists of
 * actions and resources sorted, everybody as an AWS principal, empty statement ids left out.
 */
export function canonical(document: string): string {
    return JSON.stringify(inOneSpelling(JSON.parse(document)));
}

const LISTS = ["Action", "NotAction", "Resource", "NotResource", "AWS"];

function inOneSpelling(value: unknown, name = ""): unknown {
    if (name === "Principal" && value === "*") {
        return { AWS: ["*"] };
    }
    if (LISTS.includes(name)) {
        return (Array.isArray(value) ? (value as unknown[]) : [value]).map(String).sort();
    }
    if (Array.isArray(value)) {
        return value.map((item) => inOneSpelling(item));
    }
    if (typeof value !== "object" || value === null) {
        return name !== "" && insideCondition(name) ? [value] : value;
    }
    return Object.fromEntries(
        Object.entries(value)
            .filter(([property, inner]) => !(["Sid", "ID", "Id"].includes(property) && inner === ""))
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([property, inner]) => [property, inOneSpelling(inner, property)]),
    );
}

/** Keys of conditions have values that may be a single one or a list. */
function insideCondition(name: string): boolean {
    return name.includes(":");
}
