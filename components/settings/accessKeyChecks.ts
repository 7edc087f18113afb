import type { UnwrappedObject } from "@pulumi/pulumi";
import { checkStoreReference } from "../storeClient/storeReference";
import { checkSecret, shown } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import type { AccessKeyArgs, AccessKeySettings } from "../args/accessKeyArgs";
import { checkName } from "./policyChecks";

/** The args of an access key, all known. */
export type KnownAccessKeyArgs = UnwrappedObject<AccessKeyArgs>;

/** Longest prefix of an access key: with what follows it the key has 20 characters, as stores allow. */
export const MOST_PREFIX = 11;

/** Longest secret key that stores take. */
const MOST_SECRET = 40;

const LEAST_SECRET = 8;

/** Every problem of an access key's args that can be found without asking the store. */
export function checkAccessKey(args: KnownAccessKeyArgs): Problem[] {
    const { store, namePrefix, policies } = args;
    return [
        ...checkStoreReference("store", store),
        ...(namePrefix === undefined || new RegExp(`^[A-Za-z0-9-]{1,${MOST_PREFIX}}$`).test(namePrefix)
            ? []
            : [
                  {
                      propertyPath: "namePrefix",
                      reason: `${shown(namePrefix)} is not allowed: give 1 to ${MOST_PREFIX} letters, digits and hyphens`,
                  },
              ]),
        ...policies.flatMap((policy, index) => checkName(`policies[${index}]`, policy)),
        ...checkAccessKeySettings(args),
    ];
}

/** Every problem of an access key's settings. Messages never show the secret. */
export function checkAccessKeySettings({ secretKey }: UnwrappedObject<AccessKeySettings>): Problem[] {
    return secretKey === undefined
        ? []
        : [
              ...checkSecret("secretKey", secretKey, LEAST_SECRET),
              ...(secretKey.length > MOST_SECRET
                  ? [
                        {
                            propertyPath: "secretKey",
                            reason: `has ${secretKey.length} characters: give ${MOST_SECRET} at most`,
                        },
                    ]
                  : []),
          ];
}
