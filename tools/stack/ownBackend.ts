import { defaultOf } from "../../components/args/schema";
import { StepError } from "../cli/step";
import type { StackConfig } from "../pulumi/stackConfig";
import type { ConfiguredStore } from "./additionalStores";

/**
 * Refuses to keep a stack's state in the store that the stack deploys: an update that stops the store could not record what
 * it does.
 *
 * @param backend URL of the backend.
 * @param additional The stack's additional stores, if they are known.
 * @param environment Variables that name an endpoint if the URL doesn't. Default: those of this process.
 * @throws {StepError} with the remedy.
 */
export function refuseOwnBackend(
    backend: string,
    config: StackConfig,
    additional: readonly ConfiguredStore[] | undefined,
    environment: NodeJS.ProcessEnv = process.env,
): void {
    const endpoint = endpointOf(backend, environment);
    if (endpoint === undefined) {
        return;
    }
    const port = endpoint.port === "" ? "443" : endpoint.port;
    const s3Hosts = [
        config("s3Host") ?? defaultOf("ObjectStoreArgs", "s3Host"),
        ...(additional ?? []).map(({ s3Host }) => s3Host),
    ];
    const own = s3Hosts.find((host) => isOrBelow(endpoint.hostname, host.toLowerCase()));
    if (own !== undefined && port === (config("httpsPort") ?? "443")) {
        throw new StepError(
            `this stack's state is in a bucket of its own store, ${own}:${port}: while the store is updated or gone, nothing ` +
                "can be read or recorded. Move the state to another backend (docs/how-to/teams-and-state.md, State in a bucket)",
        );
    }
}

/** The S3 endpoint of a backend, as the CLI takes it. Undefined if none is named. */
function endpointOf(backend: string, environment: NodeJS.ProcessEnv): URL | undefined {
    if (!backend.startsWith("s3://")) {
        return undefined;
    }
    // An empty one counts as none.
    const endpoint = [
        new URL(backend).searchParams.get("endpoint") ?? "",
        environment["AWS_ENDPOINT_URL_S3"] ?? "",
        environment["AWS_ENDPOINT_URL"] ?? "",
    ].find((text) => text !== "");
    if (endpoint === undefined) {
        return undefined;
    }
    const text = endpoint.includes("://") ? endpoint : `https://${endpoint}`;
    return URL.canParse(text) ? new URL(text) : undefined;
}

/** Whether a hostname is the store's, or that of one of its buckets. */
function isOrBelow(hostname: string, host: string): boolean {
    return hostname === host || hostname.endsWith(`.${host}`);
}
