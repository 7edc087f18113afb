import type * as pulumi from "@pulumi/pulumi";
import { checkHostname } from "../checks/inputChecks";
import { isPlain } from "../checks/plain";
import type { Problem } from "../checks/problem";
import type { ServiceProfile } from "./serviceProfile";

/** Every problem of a cluster's `bucketDomains`. Values that other resources provide are checked by the proxy. */
export function checkBucketDomains(domains: pulumi.Input<string>[], { name, variables }: ServiceProfile): Problem[] {
    if (domains.length > 0 && variables.bucketDomains === undefined) {
        const reason = `is not allowed: the profile ${name} doesn't say how the store reads buckets from hostnames. Leave it out`;
        return [{ propertyPath: "bucketDomains", reason }];
    }
    return domains.flatMap((domain, index) => {
        if (!isPlain(domain)) {
            return [];
        }
        const propertyPath = `bucketDomains[${index}]`;
        const upper = domains.slice(0, index).find((other) => isPlain(other) && areRelated(domain, other)) as
            string | undefined;
        const reason = `"${domain}" and "${upper}" are the same or below each other: the store couldn't know which part is the bucket. Give only one of them`;
        return [...checkBucketDomain(propertyPath, domain), ...(upper === undefined ? [] : [{ propertyPath, reason }])];
    });
}

/** Problems of a hostname of the S3 API below which buckets get hostnames. */
export function checkBucketDomain(propertyPath: string, domain: string): Problem[] {
    const problems = checkHostname(propertyPath, domain);
    return problems.length > 0 || domain.includes(".")
        ? problems
        : [
              {
                  propertyPath,
                  reason: `needs an S3 hostname with a dot, such as s3.example.com: clients don't accept a certificate for *.${domain}`,
              },
          ];
}

/** Whether a hostname is below a domain. */
export function isBelow(hostname: string, domain: string): boolean {
    return hostname.toLowerCase().endsWith(`.${domain.toLowerCase()}`);
}

function areRelated(one: string, other: string): boolean {
    return one.toLowerCase() === other.toLowerCase() || isBelow(one, other) || isBelow(other, one);
}
