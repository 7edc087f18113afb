import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { namesOfSameImage, type KnownImage } from "../naming/imageNames";
import { LOG_DIRECTORY } from "../naming/containerFiles";
import { environmentText } from "./environmentFile";
import type { ServiceProfile } from "./serviceProfile";
import { isNamed } from "./variableNames";
import { CONSOLE_PORT, proxyAddresses, S3_PORT, type Topology } from "./topology";

/** Settings that determine a node's variables. */
export interface NodeEnvironmentArgs {
    profile: ServiceProfile;
    image: pulumi.Input<string>;
    topology: Topology;
    /** The node network. */
    subnet: string;
    logLevel?: string;
    consoleUrl?: pulumi.Input<string>;
    bucketDomains: pulumi.Input<string>[];
    allowDrivesOnOneDevice: boolean;
    environment: { [name: string]: pulumi.Input<string> };
    secretEnvironment: { [name: string]: pulumi.Input<string> };
}

/** Secrets that give access to the store, as far as they are known. */
export interface RootSecrets {
    accessKey?: pulumi.Input<string>;
    secretKey?: pulumi.Input<string>;
    internodeSecret?: pulumi.Input<string>;
}

/** Values of environment variables, by name. */
export interface Variables {
    [name: string]: pulumi.Input<string>;
}

/** The variables of the service contract, section 1, under the profile's names, and the user's variables. */
export function nodeEnvironment(args: NodeEnvironmentArgs): Variables {
    const { profile } = args;
    const { variables } = profile;
    return {
        ...profile.environment,
        ...set(variables.volumes, args.topology.volumes),
        ...set(variables.address, `:${S3_PORT}`),
        ...set(variables.consoleAddress, `:${CONSOLE_PORT}`),
        ...set(variables.consoleEnable, profile.consoleEnableValue),
        ...set(variables.logLevel, args.logLevel),
        ...set(variables.logDirectory, LOG_DIRECTORY),
        ...set(variables.consoleUrl, args.consoleUrl),
        ...set(variables.bucketDomains, args.bucketDomains.length === 0 ? undefined : domainList(args.bucketDomains)),
        ...set(variables.trustedProxies, trustedProxies(args.subnet)),
        ...set(variables.drivesOnOneDevice, args.allowDrivesOnOneDevice ? "true" : undefined),
        ...args.environment,
    };
}

/** Both stores compare hostnames with these as they are, so that only lower case ever matches. */
function domainList(domains: pulumi.Input<string>[]): pulumi.Output<string> {
    return pulumi.all(domains).apply((known) => known.map((domain) => domain.toLowerCase()).join(","));
}

/**
 * A listener on `:9000` uses IPv6 if available. It then shows an IPv4 address as an IPv4-mapped one (RFC 4291, section
 * 2.5.5.2).
 */
function trustedProxies(subnet: string): string {
    return proxyAddresses(subnet)
        .flatMap((address) => [address, `::ffff:${address}`])
        .join(",");
}

/** The variables that only the store sees. Root secrets that aren't known are left out. */
export function nodeSecrets({ profile, secretEnvironment }: NodeEnvironmentArgs, secrets: RootSecrets): Variables {
    const { variables } = profile;
    return {
        ...set(variables.accessKey, secrets.accessKey),
        ...set(variables.secretKey, secrets.secretKey),
        ...set(variables.internodeSecret, secrets.internodeSecret),
        ...secretEnvironment,
    };
}

/** Settings that must be identical on all nodes, without secrets. */
export interface SharedInputs {
    /** Image, as named in stack config. Empty if nodes may have different images. */
    image: string;
    /** Names of variables. */
    names: string[];
    /** Their values, in the same order. */
    values: string[];
}

/** The settings of the nodes that must be identical on all of them. */
export function sharedInputs(args: NodeEnvironmentArgs): pulumi.Output<SharedInputs> {
    const { image, variables } = args.profile.sameOnAllNodes;
    const alike = Object.entries(nodeEnvironment(args))
        .filter(([name]) => isNamed(name, variables))
        .sort(([one], [other]) => (one < other ? -1 : 1));
    return pulumi.output({
        image: image ? args.image : "",
        names: alike.map(([name]) => name),
        values: alike.map(([, value]) => value),
    });
}

/** A digest of the settings that must be identical on all nodes; stored in a label of each node's container. */
export function sharedDigest({ image, names, values }: SharedInputs): string {
    return createHash("sha256").update(JSON.stringify({ image, names, values })).digest("hex").slice(0, 16);
}

/**
 * Whether a container with this digest has the settings that must be identical on all nodes.
 *
 * @param running The image that it runs. The same image under another registry's name counts as unchanged.
 * @param there Id of the requested image, if the engine has it.
 */
export function isAlike(
    digest: string | undefined,
    wanted: SharedInputs,
    running: KnownImage,
    there: string | undefined,
): boolean {
    const names = wanted.image === "" ? [] : namesOfSameImage(wanted.image, running, there);
    return [wanted.image, ...names].some((image) => sharedDigest({ ...wanted, image }) === digest);
}

function set(name: string | undefined, value: pulumi.Input<string> | undefined): Variables {
    return name === undefined || value === undefined ? {} : { [name]: value };
}

/** Variables in the format that a shell reads. */
export function environmentFile(environment: Variables): pulumi.Output<string> {
    return pulumi.output(environment).apply(environmentText);
}
