import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { StoreHost } from "../../components/args/hostArgs";
import { PROJECT } from "../paths";
import type { StackConfig } from "../pulumi/stackConfig";
import type { StateResource } from "../pulumi/stackState";
import { projectName } from "../pulumi/workspace";
import { configuredHosts } from "./configuredHosts";

const KEY = "hosts";

/**
 * The hosts in a stack's config. Undefined if it names none: then the stack has one engine, that of the Docker provider.
 *
 * @param secret Decrypts one value.
 * @throws {StepError} with all problems, if the value is refused.
 */
export async function hostsOfStack(
    config: StackConfig,
    secret: (key: string) => Promise<string>,
    stack: string,
): Promise<StoreHost[] | undefined> {
    const text = config.isSecret(KEY) ? await secret(KEY) : config(KEY);
    return text === undefined ? undefined : configuredHosts(text, stack);
}

/**
 * Whether a stack's file names hosts. It is read without Pulumi, which may not be installed yet.
 *
 * @param folder Folder of the file. Default: the project's.
 */
export function fileNamesHosts(stack: string, folder = PROJECT): boolean {
    return hostsInFile(stack, folder) !== undefined;
}

/**
 * Whether a stack's file names an engine by ssh. Encrypted hosts count as such.
 *
 * @param folder Folder of the file. Default: the project's.
 */
export function fileNamesSsh(stack: string, folder = PROJECT): boolean {
    const hosts = hostsInFile(stack, folder);
    const values = Array.isArray(hosts) ? hosts.map((host) => (host as Partial<StoreHost> | null)?.dockerHost) : [];
    const isEncrypted = hosts !== undefined && !Array.isArray(hosts);
    return (
        isEncrypted || [...values, fileConfig(stack, folder)["docker:host"]].some((one) => /^ssh:/.test(String(one)))
    );
}

/** The value of the key in a stack's file. */
function hostsInFile(stack: string, folder: string): unknown {
    const config = fileConfig(stack, folder);
    return config[KEY] ?? config[`${projectName()}:${KEY}`];
}

function fileConfig(stack: string, folder: string): { [key: string]: unknown } {
    const file = join(folder, `Pulumi.${stack}.yaml`);
    return (existsSync(file) ? (parse(readFileSync(file, "utf8")) as StackFile | null) : undefined)?.config ?? {};
}

interface StackFile {
    config?: { [key: string]: unknown } | null;
}

/** Name of a host's provider, without the host's own name. */
const PROVIDER_PREFIX = "store-host-";

const PROVIDER_TYPE = "pulumi:providers:docker";

/** Name of the host that a resource is the provider of. Undefined for any other resource. */
export function hostOfProvider({ type, urn }: StateResource): string | undefined {
    return type === PROVIDER_TYPE ? hostInName(urn.split("::").at(-1)) : undefined;
}

/**
 * The hosts in a stack's state, where the last update reached them. They are those that have resources of the stack,
 * whatever its config says now. In the order of their names; empty if the stack names none. Their addresses are not in the
 * state.
 */
export function hostsInState(resources: readonly StateResource[]): StoreHost[] {
    const hosts = resources.flatMap((resource): StoreHost[] => {
        const name = hostOfProvider(resource);
        const { host, certPath } = (resource.inputs ?? {}) as { host?: string; certPath?: string };
        return name === undefined || host === undefined ? [] : [{ name, dockerHost: host, certPath, address: "" }];
    });
    return hosts.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Name of the host that a resource is on, which its provider's name contains. Undefined for a resource of the default
 * provider, in a stack that names no hosts.
 */
export function hostOf({ provider = "" }: StateResource & { provider?: string }): string | undefined {
    // A reference to a provider is its URN, two colons, and its id.
    return hostInName(provider.split("::").at(-2));
}

function hostInName(providerName = ""): string | undefined {
    return providerName.startsWith(PROVIDER_PREFIX) ? providerName.slice(PROVIDER_PREFIX.length) : undefined;
}

/** Whether a resource in the state is on an engine: on that of its host, or on the only one. */
export function isOn({ name }: { name?: string }, resource: StateResource): boolean {
    return hostOf(resource) === name;
}

/** Whether a resource in the state is on a host that none of these engines belongs to. */
export function isElsewhere(engines: readonly { name?: string }[], resource: StateResource): boolean {
    return hostOf(resource) !== undefined && !engines.some((engine) => isOn(engine, resource));
}
