import {
    serviceProfile,
    type RestrictedPaths,
    type ServiceProfile,
    type ServiceVariables,
    type UnverifiedUploads,
} from "../../../components";
import type { InputsOf } from "./input";
import type { Materials } from "./materials";
import { valuesByUse, enginePaths, proxyPaths } from "./profileValues";

/** Names of the stand-in's variables, and the other names that replace them. */
const FIRST_VARIABLES = serviceProfile.variables;
const CHANGED_VARIABLES = Object.fromEntries(
    Object.entries({ ...FIRST_VARIABLES }).map(([use, name]: [string, string]) => [
        use,
        name.replace("SERVICE_", "OTHER_"),
    ]),
) as unknown as ServiceVariables;

/** Starts the stand-in, which only knows its own names, with the values of the other names. */
const CHANGED_COMMAND = [
    "/bin/sh",
    "-c",
    [
        "for name in ACCESS_KEY SECRET_KEY VOLUMES ADDRESS CONSOLE_ADDRESS OBS_LOGGER_LEVEL OBS_LOG_DIRECTORY; do",
        'eval "export SERVICE_$name=\\$OTHER_$name"',
        "done",
        "export SERVICE_CONSOLE_ENABLE=true",
        "exec service",
    ].join("\n"),
];

const FIRST_PATHS: RestrictedPaths = {
    admin: ["/service/admin/*", "/service/open"],
    consoleAdmin: ["/service/open"],
    internal: ["/service/rpc/*"],
};
const CHANGED_PATHS: RestrictedPaths = {
    admin: ["/other/admin/*", "/other/open"],
    consoleAdmin: ["/other/open"],
    internal: ["/other/rpc"],
};

const UPLOADS = (payload: string): UnverifiedUploads => ({
    payload,
    verifiedAuthorization: "AWS4-HMAC-SHA256",
    queryParameters: [],
    headers: [],
});

/** Paths that the first profile or the second one closes. */
const PATHS = ["service", "other"].flatMap((name) => [`/${name}/admin/x`, `/${name}/open`, `/${name}/rpc`]);

/** Every property of a cluster's profile. */
export function profileInputs(given: () => Materials): InputsOf<ServiceProfile> {
    return {
        name: {
            fixed: {
                first: () => "service",
                changed: () => "other",
                shown: async (deployed) => (await deployed.drive()).Labels["docker-object-store.profile"],
                expected: (name) => name,
                refusal: "profile: other doesn't match the data of the cluster",
            },
        },
        image: {
            shown: {
                first: () => given().storeImages[0],
                changed: () => given().storeImages[1],
                shown: async (deployed) => (await deployed.node()).Image,
                expected: (image, deployed) => deployed.imageId(image),
                replaces: ["node"],
                round: "profile",
            },
        },
        user: {
            shown: {
                first: () => "10001:10001",
                changed: () => "10001:10002",
                shown: async (deployed) => [(await deployed.node()).Config.User, ...(await deployed.owners())],
                expected: (user) => [user, user, user],
                replaces: ["node"],
                round: "profile",
            },
        },
        command: {
            shown: {
                first: () => ["service"],
                changed: () => CHANGED_COMMAND,
                shown: async (deployed) => (await deployed.node()).Config.Cmd,
                expected: (command) => command,
                replaces: ["node"],
                round: "profile",
            },
        },
        variables: {
            shown: {
                first: () => FIRST_VARIABLES,
                changed: () => CHANGED_VARIABLES,
                shown: valuesByUse,
                expected: () => ({
                    volumes: "/data/drive1",
                    address: ":9000",
                    consoleAddress: ":9001",
                    logDirectory: "/logs",
                    // The values of these belong to other inputs.
                    given: [
                        ...["accessKey", "secretKey", "consoleEnable", "logLevel", "internodeSecret", "consoleUrl"],
                        "drivesOnOneDevice",
                    ],
                }),
                replaces: ["node"],
                round: "profile",
                allows: "rootKeyChange",
            },
        },
        environment: {
            shown: {
                first: () => ({ OF_THE_PROFILE: "1" }),
                changed: () => ({ OF_THE_PROFILE: "2" }),
                shown: async (deployed) => ({ OF_THE_PROFILE: (await deployed.variables())["OF_THE_PROFILE"] }),
                expected: (environment) => environment,
                replaces: ["node"],
                round: "profile",
            },
        },
        conflictingVariables: {
            hidden: { changed: () => ["SERVICE_OTHER"], because: "it decides what is refused before anything is made" },
        },
        refusedVariables: {
            hidden: {
                changed: () => ({ SERVICE_OTHER: "doesn't work: remove it" }),
                because: "it decides what is refused before anything is made",
            },
        },
        s3HealthPath: {
            shown: {
                first: () => "/health/ready",
                changed: () => "/service/echo",
                shown: async (deployed) => [(await enginePaths(deployed)).s3, (await proxyPaths(deployed))[0]],
                expected: (path) => [path, path],
                replaces: ["node"],
                round: "profile",
            },
        },
        s3ReadHealthPath: {
            shown: {
                first: () => "/health",
                changed: () => "/health/live",
                shown: async (deployed) => (await proxyPaths(deployed))[1],
                expected: (path) => path,
                replaces: [],
                round: "profile",
            },
        },
        consoleHealthPath: {
            shown: {
                first: () => "/service/console/health",
                changed: () => "/service/console/",
                shown: async (deployed) => [
                    (await enginePaths(deployed)).console,
                    // Backends of services, or of a move, come after it.
                    (await proxyPaths(deployed)).find((path) => path.startsWith("/service/console/")),
                ],
                expected: (path) => [path, path],
                replaces: ["node"],
                round: "profile",
            },
        },
        livenessPath: {
            shown: {
                first: () => "/health",
                changed: () => "/health/live",
                shown: async (deployed) => (await enginePaths(deployed)).liveness,
                expected: (path) => path,
                replaces: ["node"],
                round: "profile",
            },
        },
        maintenancePath: { hidden: { changed: () => "/health/live", because: "an update asks it, of several nodes" } },
        denialSeconds: { hidden: { changed: () => 1, because: "it counts for several nodes alone" } },
        settleSeconds: { hidden: { changed: () => 1, because: "an update waits for it, between nodes" } },
        quotaPaths: {
            hidden: {
                changed: () => ({ quota: "/quota/", count: "/count/" }),
                because: "an update asks them, after a take-over and for a bucket's new quota",
            },
        },
        parityOfFirstPool: { hidden: { changed: () => true, because: "it counts for several hosts alone" } },
        parityVariable: { hidden: { changed: () => "SERVICE_PARITY", because: "it counts where drives are emptied" } },
        healing: {
            hidden: {
                changed: () => ({ drives: "GET /admin/drives" }),
                because: "an update asks it where drives are emptied, and status",
            },
        },
        formatFile: {
            hidden: { changed: () => ".other.sys/format.json", because: "it is a file that the store writes" },
        },
        sameOnAllNodes: {
            shown: {
                first: () => ({ image: false, variables: [] }),
                changed: () => ({ image: true, variables: [] }),
                shown: async (deployed) => {
                    const { Labels: labels } = (await deployed.node()).Config;
                    return (labels["docker-object-store.alike"] ?? "").length;
                },
                // The length of the digest. The change replaces the digest.
                expected: () => 16,
                replaces: ["node"],
                round: "profile",
            },
        },
        mixedReleases: {
            hidden: {
                changed: () => [">=1.0.0 <2.0.0"],
                because: "an update of several nodes reads it, of the images there",
            },
        },
        restrictedPaths: {
            shown: {
                first: () => FIRST_PATHS,
                changed: () => CHANGED_PATHS,
                shown: async (deployed) => ({
                    s3: await deployed.closed(deployed.desired.proxy.s3Host, PATHS),
                    console: await deployed.closed(deployed.desired.proxy.consoleHost, PATHS),
                }),
                expected: ({ internal }) => {
                    const name = internal === FIRST_PATHS.internal ? "service" : "other";
                    return {
                        s3: [`/${name}/admin/x`, `/${name}/open`, `/${name}/rpc`],
                        console: [`/${name}/admin/x`, `/${name}/rpc`],
                    };
                },
                replaces: [],
                round: "loaded",
            },
        },
        unverifiedUploads: {
            shown: {
                first: () => UPLOADS("STREAMING-FIRST"),
                changed: () => UPLOADS("STREAMING-CHANGED"),
                shown: (deployed) =>
                    deployed.configured("acl unverified_payload req.fhdr(x-amz-content-sha256) -m sub -i "),
                expected: (uploads) => [uploads?.payload],
                replaces: [],
                round: "loaded",
            },
        },
        replicatedMetadata: {
            hidden: {
                changed: () => undefined,
                because: "it is a rule of the edge: test/unit/components/haproxyConfig/edgeRules.test.ts",
            },
        },
        sharedObjects: {
            hidden: {
                changed: () => undefined,
                because: "it is a rule of the edge: test/unit/components/haproxyConfig/edgeRules.test.ts",
            },
        },
        durabilityPath: {
            hidden: { changed: () => "/other/", because: "it is asked for status and for buckets alone" },
        },
        knownVulnerabilities: {
            hidden: {
                changed: () => [],
                because: "it is what an update warns of: test/unit/components/store/knownVulnerabilities.test.ts",
            },
        },
        consoleEnableValue: {
            shown: {
                first: () => "true",
                changed: () => "on",
                shown: async (deployed) => (await deployed.variables())[deployed.variableNames.consoleEnable ?? ""],
                expected: (value) => value,
                replaces: ["node"],
                round: "profile",
            },
        },
        logLevel: {
            shown: {
                first: () => "error",
                changed: () => "warn",
                shown: async (deployed) => (await deployed.variables())[deployed.variableNames.logLevel ?? ""],
                expected: (level) => level,
                replaces: ["node"],
                round: "profile",
            },
        },
        minimumAccessKeyLength: { hidden: { changed: () => 4, because: "it is a rule for args" } },
        minimumSecretKeyLength: { hidden: { changed: () => 9, because: "it is a rule for args" } },
        minimumDrivesPerSet: { hidden: { changed: () => 3, because: "it is a rule for args" } },
        maximumDrivesPerSet: { hidden: { changed: () => 8, because: "it is a rule for args" } },
    };
}
