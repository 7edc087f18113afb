import { findProfile } from "../../components/store/profiles/all";
import type { ServiceProfile } from "../../components/store/serviceProfile";
import { StepError } from "../cli/step";
import { drivesOf, type AdoptedNode, type Drive } from "./adoptedDrives";
import { hostnamesOf, type AdoptedHostnames } from "./adoptedHostnames";
import type { FoundContainer } from "./foundContainer";
import { imageOf } from "./pinnedImage";
import { rootKeyOf, SECRETS } from "./rootKeys";
import { givenTo, listsOf } from "./storeSettings";
import { takeVariables } from "./takenVariables";

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
    hostnames: AdoptedHostnames;
    /** The only address of this host that its ports are published on. */
    publishAddress?: string;
    /** Limits of a node: MiB and CPUs. */
    memory?: number;
    cpus?: number;
    /** Whether several drives may be on one device. */
    drivesOnOneDevice: boolean;
    /** Whether it reaches other services. */
    egress: boolean;
    /** Address and region of its S3 listener. */
    address?: string;
    region: string;
    /** User and group of the files on its drives. Undefined until the drives were read. */
    owner?: string;
    /** What isn't taken over, and why; and what else the user has to know. */
    notes: string[];
}

/** What the user gives in place of what a store has. */
export interface Given extends AdoptedHostnames {
    image?: string;
}

/**
 * The store in some containers, which are its nodes.
 *
 * @throws {StepError} if this project can't deploy such a store, with every reason.
 */
export async function adoptStore(containers: readonly FoundContainer[], given: Given = {}): Promise<AdoptedStore> {
    const [first] = containers;
    if (first === undefined) {
        throw new StepError("no container is named");
    }
    const unfit = containers.flatMap((container) => whyUnfit(container, given.image));
    const { process } = first;
    if (unfit.length > 0 || process === undefined) {
        throw new StepError(unfit.join("\n"));
    }
    const profile = findProfile(process.store) as ServiceProfile;
    const settings = await givenTo(first, process);
    const problems: string[] = [...settings.problems];
    const pools = (await noting(problems, () => drivesOf(containers, listsOf(process, settings.all)))) ?? [];
    problems.push(...containers.slice(1).flatMap((other) => differencesOf(other, first)));
    const keyOf = (key: "accessKey" | "secretKey") =>
        noting(problems, () => rootKeyOf(first, process, settings.all, key));
    const [accessKey = "", secretKey = ""] = [await keyOf("accessKey"), await keyOf("secretKey")];
    const hostnames = hostnamesOf(settings.own, { s3Host: given.s3Host, consoleHost: given.consoleHost }, problems);
    const taken = takeVariables(first, profile, settings.own, placesOf(first, pools));
    const pinned = imageOf(first, given.image);
    problems.push(...taken.problems, ...("problem" in pinned ? [pinned.problem] : []));
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    const { reaching } = taken;
    const image = "image" in pinned ? pinned.image : "";
    return {
        profile,
        image,
        accessKey,
        secretKey,
        pools,
        environment: taken.environment,
        secretEnvironment: taken.secretEnvironment,
        hostnames,
        publishAddress: onlyAddress(containers.flatMap(({ published }) => published)),
        ...(first.memory === 0 ? {} : { memory: Math.floor(first.memory / 1024 ** 2) }),
        ...(first.cpus === 0 ? {} : { cpus: first.cpus / 1e9 }),
        drivesOnOneDevice: isOn(settings.all[profile.variables.drivesOnOneDevice ?? ""]),
        egress: reaching.length > 0,
        address: settings.all[profile.variables.address],
        region: regionOf(settings.all),
        notes: [...settings.leftOut, ...taken.leftOut, ...otherMounts(first, pools), ...reachingNote(reaching)],
    };
}

/** The address, if all ports are published on the same one. */
function onlyAddress(published: readonly string[]): string | undefined {
    const [address = "", ...others] = new Set(published);
    return address === "" || others.length > 0 ? undefined : address;
}

/** Runs what may fail for a reason that the user can correct, and notes that. */
async function noting<Result>(problems: string[], work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof StepError)) {
            throw error;
        }
        problems.push(error.message);
        return undefined;
    }
}

/** Why a container can't be a node here, whatever its settings are. */
function whyUnfit(container: FoundContainer, image: string | undefined): string[] {
    const { name, running, service, missing, process } = container;
    if (service !== undefined) {
        return [
            `${name} is a task of the swarm's service ${service}, which would start another one in its place: run docker service scale ` +
                `${service}=0, and name the store by its drives (--store, --volume or --path)`,
        ];
    }
    if (!running) {
        return [
            `${name} doesn't run, so it can't be asked for its root keys and its health: start it first (docker start ${name})`,
        ];
    }
    if (missing.length > 0 && image === undefined) {
        return [
            `${name}: its image lacks ${missing.join(", ")}, which this project needs in it: give --image with an official one of the same ` +
                "release (docs/reference/support.md, Images of your own)",
        ];
    }
    if (process === undefined) {
        return [`${name} runs neither \`minio server\` nor \`rustfs\`: name the store's own containers by --container`];
    }
    return container.imageVariables["BITNAMI_APP_NAME"] === undefined || image !== undefined
        ? []
        : [
              `${name} has Bitnami's image, which is made for start scripts of its own, and this project starts the store's program itself: ` +
                  `give --image with an official one of the same release (${container.release ?? "unknown"})`,
          ];
}

/** What a node has that must be alike on all nodes, and isn't. Values aren't shown: they may be secrets. */
function differencesOf(other: FoundContainer, first: FoundContainer): string[] {
    const names = Object.keys({ ...other.variables, ...first.variables }).filter(
        (name) => /^(MINIO|RUSTFS)_/.test(name) && other.variables[name] !== first.variables[name],
    );
    return [
        ...(other.imageFacts.id === first.imageFacts.id
            ? []
            : [`all nodes must have the same image. ${first.name} has ${first.image}, ${other.name} ${other.image}`]),
        ...(names.length === 0
            ? []
            : [
                  `${other.name} has other variables than ${first.name}, and all nodes must have the same: ${names.join(", ")}`,
              ]),
    ];
}

/** Where a node's container has its drives, and what is above them. */
function placesOf({ mounts }: FoundContainer, pools: readonly AdoptedNode[][]): string[] {
    const drives = pools.flat().flatMap((node) => node.drives);
    const isDrive = ({ volume, path }: FoundContainer["mounts"][number]) =>
        drives.some((drive) =>
            volume === undefined
                ? path !== undefined && (drive.path === path || drive.path?.startsWith(`${path}/`) === true)
                : drive.volume === volume,
        );
    return mounts.filter(isDrive).map(({ at }) => at);
}

/** Mounts that a node doesn't get, except for secrets, which were read, and volumes that the image makes. */
function otherMounts(container: FoundContainer, pools: readonly AdoptedNode[][]): string[] {
    const drives = placesOf(container, pools);
    return container.mounts
        .filter(
            ({ at, volume = "" }) => !drives.includes(at) && !at.startsWith(SECRETS) && !/^[0-9a-f]{64}$/.test(volume),
        )
        .map(({ at, volume, path }) => `${at} (${volume ?? path}): is no drive, and isn't mounted`);
}

function reachingNote(reaching: readonly string[]): string[] {
    return reaching.length === 0
        ? []
        : [
              `egress: is true because of ${reaching.join(", ")}. Names that only the former network knew, as those of a compose file, ` +
                  "aren't found any more",
          ];
}

function regionOf(variables: { [name: string]: string }): string {
    const names = ["MINIO_SITE_REGION", "MINIO_REGION", "MINIO_REGION_NAME", "RUSTFS_REGION"];
    return names.map((name) => variables[name] ?? "").find((region) => region !== "") ?? "us-east-1";
}

function isOn(value: string | undefined): boolean {
    return value !== undefined && /^(1|on|true|yes)$/i.test(value);
}

/** What is known of a store's drives without its containers. */
export interface NamedDrives {
    /** Name of the store's profile. */
    store: string | undefined;
    drives: Drive[];
}

/**
 * A store of one node on these drives.
 *
 * @param keys Its root keys: a line for each.
 * @throws {StepError} with every reason, if something is missing.
 */
export function storeOn({ store = "", drives }: NamedDrives, keys: string, given: Given): AdoptedStore {
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
    const hostnames = hostnamesOf({}, { s3Host: given.s3Host, consoleHost: given.consoleHost }, problems);
    if (profile === undefined || problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return {
        profile,
        image: given.image ?? profile.image ?? "",
        ...{ accessKey, secretKey, hostnames },
        pools: [[{ drives }]],
        ...{ environment: {}, secretEnvironment: {}, drivesOnOneDevice: false, egress: false, region: "us-east-1" },
        notes: ["the root keys and the variables of the store aren't known here: only its drives were checked"],
    };
}

const STORES = ["minio", "rustfs"];
