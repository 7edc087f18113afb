import { whyNotSet } from "../../components/store/environmentNames";
import { reservedVariables } from "../../components/store/reservedVariables";
import type { ServiceProfile } from "../../components/store/serviceProfile";
import { isNamed } from "../../components/store/variableNames";
import type { FoundContainer } from "./foundContainer";
import { isOfRootKeys } from "./rootKeys";

/** A store's variables, as they are set once more. */
export interface TakenVariables {
    environment: { [name: string]: string };
    /** Those whose values may be secrets. */
    secretEnvironment: { [name: string]: string };
    /** Names of those by which the store reaches other services. */
    reaching: string[];
    /** What isn't set once more, and why. */
    leftOut: string[];
    /** Why the store wouldn't work with them. */
    problems: string[];
}

/**
 * Names of variables whose values are no secrets. Every other value may be one: a URL or a connection string has a password as
 * easily as a variable that is called so.
 */
const OPEN = [
    ...["TZ", "LANG", "LC_*", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "RUST_LOG", "RUST_BACKTRACE"],
    ...["MINIO", "RUSTFS"].flatMap((store) =>
        [
            ...[
                "REGION",
                "REGION_NAME",
                "SITE_REGION",
                "SITE_NAME",
                "API_*",
                "BROWSER_*",
                "STORAGE_CLASS_*",
                "ERASURE_SET_DRIVE_COUNT",
            ],
            ...[
                "COMPRESSION_*",
                "COMPRESS_*",
                "SCANNER_*",
                "HEAL_*",
                "DRIVE_*",
                "ILM_*",
                "BATCH_*",
                "PROMETHEUS_AUTH_TYPE",
            ],
            ...[
                "UPDATE",
                "CI_CD",
                "CORS_ALLOWED_ORIGINS",
                "CONSOLE_CORS_ALLOWED_ORIGINS",
                "OBJECT_CACHE_*",
                "BUFFER_PROFILE",
            ],
        ].map((name) => `${store}_${name}`),
    ),
];

/** Names of variables by which a store reaches other services. */
const REACHING = [
    ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"],
    ...["MINIO", "RUSTFS"].flatMap((store) =>
        [
            ...[
                "IDENTITY_OPENID*",
                "IDENTITY_LDAP*",
                "IDENTITY_PLUGIN*",
                "POLICY_PLUGIN*",
                "POLICY_OPA*",
                "KEYSTONE*",
                "ETCD_*",
            ],
            ...["NOTIFY_*", "AUDIT_*", "LOGGER_WEBHOOK*", "LAMBDA_*", "CALLHOME*", "PROMETHEUS_URL", "OBS_ENDPOINT"],
            ...["KMS_KES*", "KMS_SERVER*", "KMS_VAULT*", "SUBNET_*"],
        ].map((name) => `${store}_${name}`),
    ),
];

/**
 * Which of a store's variables are set once more.
 *
 * @param variables Those that its image doesn't set.
 * @param drivesAt Where the container has its drives.
 */
export function takeVariables(
    container: FoundContainer,
    profile: ServiceProfile,
    variables: { [name: string]: string },
    drivesAt: readonly string[],
): TakenVariables {
    const taken: TakenVariables = { environment: {}, secretEnvironment: {}, reaching: [], leftOut: [], problems: [] };
    const others = container.mounts.map(({ at }) => at).filter((at) => !drivesAt.includes(at));
    for (const [name, value] of Object.entries(variables)) {
        const reason = whyLeftOut(name, value, profile);
        const mount = others.find((at) =>
            value.split(/[,;\s]/).some((path) => path === at || path.startsWith(`${at}/`)),
        );
        if (reason !== undefined) {
            taken.leftOut.push(...(reason === "" ? [] : [`${name}: ${reason}`]));
        } else if (mount !== undefined) {
            taken.problems.push(
                `${name} names a file in ${mount}, which ${container.name} has mounted and a node here doesn't get: start the store ` +
                    "without it first, or with a variable that has the file's content",
            );
        } else {
            taken[isNamed(name, OPEN) ? "environment" : "secretEnvironment"][name] = value;
            taken.reaching.push(...(isNamed(name, REACHING) ? [name] : []));
        }
    }
    return taken;
}

/** Why a variable isn't set once more; empty if that needn't be said. Undefined if it is set. */
function whyLeftOut(name: string, value: string, profile: ServiceProfile): string | undefined {
    const { accessKey, secretKey, volumes, bucketDomains, drivesOnOneDevice } = profile.variables;
    // RustFS copies MinIO's variables to its own.
    const ownName = profile.name === "rustfs" ? name.replace(/^MINIO_/, "RUSTFS_") : name;
    if (value === "" || [accessKey, secretKey, volumes, drivesOnOneDevice].includes(ownName) || isOfRootKeys(name)) {
        return "";
    }
    if (name === "MINIO_SERVER_URL" || name === "MINIO_BROWSER_REDIRECT_URL" || name === profile.variables.consoleUrl) {
        return "its hostname is in s3Host or consoleHost, unless these are given";
    }
    if (ownName === bucketDomains) {
        return "virtualHostBuckets sets it to s3Host";
    }
    if (
        /^(HOME|HOSTNAME|PWD|SHLVL|USER|MINIO_USERNAME|MINIO_GROUPNAME|RUSTFS_USERNAME|RUSTFS_GROUPNAME|RUSTFS_[UG]ID)$/.test(
            name,
        )
    ) {
        return "the image's own is taken, and the profile's user";
    }
    // What to do is meant for the one who writes a stack.
    return whyNotSet(ownName, reservedVariables(profile, true))?.replace(/:[^:]*$/, "");
}
