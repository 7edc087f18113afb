import { findProfile } from "../../components/store/profiles/all";
import { isNamed, type ServiceProfile } from "../../components/store/serviceProfile";
import { reservedVariables } from "../../components/store/reservedVariables";
import { StepError } from "../cli/step";
import { drivesOf, type AdoptedNode, type Drive } from "./adoptedDrives";
import type { FoundContainer } from "./foundContainer";
import { programOf, splitCommand, type StoreCommand } from "./storeCommand";

/** A store that was started by other means, as this project would deploy it. */
export interface AdoptedStore {
    profile: ServiceProfile;
    image: string;
    accessKey: string;
    secretKey: string;
    /** The nodes of each pool. */
    pools: AdoptedNode[][];
    /** Its other variables. */
    environment: { [name: string]: string };
    secretEnvironment: { [name: string]: string };
    s3Host?: string;
    consoleHost?: string;
    /** Limits of a node: MiB and CPUs. */
    memory?: number;
    cpus?: number;
    /** Whether it accepts several drives on one device. */
    drivesOnOneDevice: boolean;
    /** What isn't taken over, and why. */
    leftOut: string[];
}

/** Names of variables whose values are likely secrets. */
const SECRET_NAME = /SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL/;

/** Folder in which Docker puts secrets, to which the names of files are relative. */
const SECRETS = "/run/secrets";

/** Root keys of stores that got none, by profile. */
const DEFAULT_KEYS: { [profile: string]: string } = { minio: "minioadmin", rustfs: "rustfsadmin" };

/** Earlier names of variables, and options that stand for one. */
const OTHER_NAMES: { [name: string]: string } = {
    MINIO_ACCESS_KEY: "accessKey",
    MINIO_SECRET_KEY: "secretKey",
    RUSTFS_ROOT_USER: "accessKey",
    RUSTFS_ROOT_PASSWORD: "secretKey",
    "access-key": "accessKey",
    "secret-key": "secretKey",
};

/**
 * The store in some containers, which are its nodes.
 *
 * @throws {StepError} if this project can't deploy such a store, with every reason.
 */
export async function adoptStore(containers: readonly FoundContainer[]): Promise<AdoptedStore> {
    const [first] = containers;
    if (first === undefined) {
        throw new StepError("no container is named");
    }
    const profile = profileOf(first);
    const command = commandOf(first, profile);
    const problems: string[] = [];
    const attempt = async <Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> => {
        try {
            return await work();
        } catch (error) {
            if (!(error instanceof StepError)) {
                throw error;
            }
            problems.push(error.message);
            return undefined;
        }
    };
    const pools = await attempt(() => drivesOf(containers, command.volumes));
    problems.push(...containers.slice(1).flatMap((other) => differencesOf(other, first)));
    const keys = {
        accessKey: await attempt(() => rootKey(first, profile, command, "accessKey")),
        secretKey: await attempt(() => rootKey(first, profile, command, "secretKey")),
    };
    if (problems.length > 0 || pools === undefined) {
        throw new StepError(problems.join("\n"));
    }
    const leftOut: string[] = [];
    const { accessKey, secretKey, volumes, drivesOnOneDevice = "" } = profile.variables;
    const rest = Object.entries(first.variables).filter(([name, value]) => {
        const reason = whyLeftOut(name, profile);
        const isTaken = [accessKey, secretKey, volumes].includes(name) || value === "";
        leftOut.push(...(reason === undefined || isTaken ? [] : [`${name}: ${reason}`]));
        return reason === undefined;
    });
    const isSecret = ([name]: [string, string]) => SECRET_NAME.test(name);
    return {
        profile,
        image: first.image,
        accessKey: keys.accessKey ?? "",
        secretKey: keys.secretKey ?? "",
        pools,
        environment: Object.fromEntries(rest.filter((variable) => !isSecret(variable))),
        secretEnvironment: Object.fromEntries(rest.filter(isSecret)),
        s3Host: hostOf(first.variables["MINIO_SERVER_URL"]),
        consoleHost: hostOf(first.variables["MINIO_BROWSER_REDIRECT_URL"]),
        ...(first.memory === 0 ? {} : { memory: Math.floor(first.memory / 1024 ** 2) }),
        ...(first.cpus === 0 ? {} : { cpus: first.cpus / 1e9 }),
        drivesOnOneDevice: isOn(first.variables[drivesOnOneDevice]),
        leftOut,
    };
}

/** What a node has that must be alike on all nodes, and isn't. Values aren't shown: they may be secrets. */
function differencesOf(other: FoundContainer, first: FoundContainer): string[] {
    const names = Object.keys({ ...other.variables, ...first.variables }).filter(
        (name) => /^(MINIO|RUSTFS)_/.test(name) && other.variables[name] !== first.variables[name],
    );
    return [
        ...(other.image === first.image
            ? []
            : [`all nodes must have the same image. ${first.name} has ${first.image}, ${other.name} ${other.image}`]),
        ...(names.length === 0
            ? []
            : [
                  `${other.name} has other variables than ${first.name}, and all nodes must have the same: ${names.join(", ")}`,
              ]),
    ];
}

/** What is known of a store's drives without its containers. */
export interface NamedDrives {
    /** Name of the store's profile. */
    store: string | undefined;
    /** Default: the profile's. */
    image: string | undefined;
    drives: Drive[];
}

/**
 * A store of one node on these drives.
 *
 * @param keys Its root keys: a line for each.
 * @throws {StepError} with every reason, if something is missing.
 */
export function storeOn({ store = "", image, drives }: NamedDrives, keys: string): AdoptedStore {
    const profile = STORES.includes(store) ? findProfile(store) : undefined;
    const [accessKey = "", secretKey = ""] = keys.split(/\r?\n/);
    const kinds = new Set(drives.map(({ volume }) => volume === undefined));
    const problems = [
        ...(profile === undefined ? [`--store "${store}" is not known: give one of ${STORES.join(", ")}`] : []),
        ...(kinds.size > 1 ? ["--volume and --path exclude each other: all drives must be of one kind"] : []),
        ...(accessKey === "" || secretKey === ""
            ? [
                  "the store's root keys are missing on the standard input: a line for the access key, and one for the secret key",
              ]
            : []),
    ];
    if (profile === undefined || problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return {
        profile,
        image: image ?? profile.image ?? "",
        ...{ accessKey, secretKey },
        pools: [[{ drives }]],
        ...{ environment: {}, secretEnvironment: {}, drivesOnOneDevice: false, leftOut: [] },
    };
}

const STORES = ["minio", "rustfs"];

/** The profile of the store in a container: of its program, or, if its entry point starts that, of its variables. */
function profileOf({ name, args, variables, imageVariables }: FoundContainer): ServiceProfile {
    const names = Object.keys({ ...variables, ...imageVariables });
    // RustFS reads some of MinIO's variables too.
    const ofVariables = ["rustfs", "minio"].find((store) =>
        names.some((variable) => variable.startsWith(`${store.toUpperCase()}_`)),
    );
    const profile = findProfile(programOf(args) ?? ofVariables ?? "");
    if (profile === undefined) {
        throw new StepError(
            `the container ${name} has neither MinIO nor RustFS: neither its command nor a variable names one`,
        );
    }
    return profile;
}

function commandOf({ name, args, variables, imageVariables }: FoundContainer, profile: ServiceProfile): StoreCommand {
    const command = splitCommand(args, { ...imageVariables, ...variables }[profile.variables.volumes]);
    if (command === undefined) {
        throw new StepError(
            `the container ${name} starts its store by a shell, so its drives aren't known: start it with the ` +
                `store's own command, or set ${profile.variables.volumes}`,
        );
    }
    if (variables["MINIO_CONFIG_ENV_FILE"] !== undefined) {
        throw new StepError(
            `the container ${name} reads its variables from the file ${variables["MINIO_CONFIG_ENV_FILE"]} (MINIO_CONFIG_ENV_FILE): ` +
                "start it with these variables in its environment",
        );
    }
    return command;
}

async function rootKey(
    container: FoundContainer,
    profile: ServiceProfile,
    { options }: StoreCommand,
    key: "accessKey" | "secretKey",
): Promise<string> {
    const given = { ...container.imageVariables, ...container.variables, ...options };
    const names = [profile.variables[key], ...Object.keys(OTHER_NAMES).filter((name) => OTHER_NAMES[name] === key)];
    for (const name of names) {
        const value = given[name] ?? (await secretFile(container, `${name}_FILE`));
        if (value !== undefined) {
            return value;
        }
    }
    return DEFAULT_KEYS[profile.name] ?? "";
}

/** The text of the file that a variable names. The image may name one that needn't be there. */
async function secretFile(container: FoundContainer, variable: string): Promise<string | undefined> {
    const set = container.variables[variable];
    const file = set ?? container.imageVariables[variable];
    if (file === undefined) {
        return undefined;
    }
    const path = file.startsWith("/") ? file : `${SECRETS}/${file}`;
    const text = await container.readFile(path);
    if (text === undefined && set !== undefined) {
        throw new StepError(`the container ${container.name} has no file ${path}, which ${variable} names`);
    }
    return text?.trim();
}

/** Why a variable isn't set once more. Undefined if it is. */
function whyLeftOut(name: string, profile: ServiceProfile): string | undefined {
    if (name === "MINIO_SERVER_URL" || name === "MINIO_BROWSER_REDIRECT_URL") {
        return "its hostname is in s3Host or consoleHost";
    }
    if (name === profile.variables.bucketDomains) {
        return "virtualHostBuckets sets it to s3Host";
    }
    if (isNamed(name, reservedVariables(profile, true)) || OTHER_NAMES[name.replace(/_FILE$/, "")] !== undefined) {
        return "this project sets it";
    }
    return /^(PATH|HOME|HOSTNAME|LD_.*)$/.test(name) ? "the image's own is taken" : undefined;
}

function hostOf(url: string | undefined): string | undefined {
    return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}

function isOn(value: string | undefined): boolean {
    return value !== undefined && /^(1|on|true|yes)$/i.test(value);
}
