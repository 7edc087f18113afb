import { checkHostname } from "../../components/checks/inputChecks";

/** Hostnames of a store. */
export interface AdoptedHostnames {
    s3Host?: string;
    consoleHost?: string;
}

/** Variables of both stores with URLs that clients use, and the option that gives a hostname in place of theirs. */
const URLS = [
    { key: "s3Host", option: "--s3-host", variables: ["MINIO_SERVER_URL"] },
    {
        key: "consoleHost",
        option: "--console-host",
        variables: ["MINIO_BROWSER_REDIRECT_URL", "RUSTFS_BROWSER_REDIRECT_URL"],
    },
] as const;

/**
 * The hostnames in a store's URLs, unless others are given. The proxy routes by them, so each side needs one of its own, by which
 * clients elsewhere can reach it.
 *
 * @param problems Gets every hostname that can't be used.
 */
export function hostnamesOf(
    variables: { [name: string]: string },
    given: AdoptedHostnames,
    problems: string[],
): AdoptedHostnames {
    const hostnames: AdoptedHostnames = { ...given };
    for (const { key, option, variables: names } of URLS) {
        const variable = names.find((name) => (variables[name] ?? "") !== "");
        if (variable === undefined || given[key] !== undefined) {
            continue;
        }
        const url = variables[variable] ?? "";
        const hostname = URL.canParse(url) ? new URL(url).hostname : undefined;
        const fault = hostname === undefined ? "is no URL" : faultOf(hostname);
        if (fault === undefined) {
            hostnames[key] = hostname;
        } else {
            problems.push(`${variable} ${fault}: give ${option} NAME, as ${EXAMPLES[key]}`);
        }
    }
    const { s3Host, consoleHost } = hostnames;
    if (s3Host !== undefined && s3Host.toLowerCase() === consoleHost?.toLowerCase()) {
        problems.push(
            `S3 and the console have the hostname ${s3Host}, and the proxy routes by hostname: give --console-host NAME, as ` +
                `console.${s3Host}`,
        );
    }
    return hostnames;
}

const EXAMPLES = { s3Host: "s3.example.com", consoleHost: "console.example.com" };

function faultOf(hostname: string): string | undefined {
    if (hostname === "localhost" || !hostname.includes(".")) {
        return `has the hostname ${hostname}, which is known on one machine or one network of the Docker daemon only`;
    }
    return checkHostname("", hostname).length === 0 ? undefined : `has ${hostname}, which is no hostname`;
}
