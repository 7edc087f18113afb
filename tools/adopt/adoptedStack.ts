import type { AdoptedNode } from "./adoptedDrives";
import type { AdoptedStore } from "./adoptedStore";
import { nameOf } from "./driveFormat";

/** Stack config of an adopted store. */
export interface AdoptedStack {
    values: { [key: string]: unknown };
    secrets: { [key: string]: string };
}

/**
 * The stack config that deploys a store on the drives that it has.
 *
 * @param more What the user gives in place of what the store has, or beside it.
 */
export function stackOf(store: AdoptedStore, more: { [key: string]: unknown } = {}): AdoptedStack {
    const { profile, image, environment, secretEnvironment, publishAddress, memory, cpus } = store;
    const [only, ...others] = store.pools.map(poolOf);
    const values = {
        profile: profile.name,
        image,
        ...(others.length === 0 ? only : { pools: [only, ...others] }),
        ...store.hostnames,
        publishAddress,
        memory,
        cpus,
        environment: Object.keys(environment).length === 0 ? undefined : environment,
        egress: store.egress || undefined,
        allowDrivesOnOneDevice: store.drivesOnOneDevice || undefined,
        ...more,
    };
    return {
        values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
        secrets: {
            accessKey: store.accessKey,
            secretKey: store.secretKey,
            ...(Object.keys(secretEnvironment).length === 0
                ? {}
                : { secretEnvironment: JSON.stringify(secretEnvironment) }),
        },
    };
}

function poolOf(nodes: AdoptedNode[]): { [key: string]: unknown } {
    const drives = nodes.map((node) => node.drives.map(nameOf));
    const areVolumes = nodes[0]?.drives[0]?.volume !== undefined;
    return {
        nodeCount: nodes.length,
        drivesPerNode: drives[0]?.length ?? 0,
        [areVolumes ? "volumeNames" : "drivePaths"]: drives,
    };
}

/** Command lines for a shell that put an adopted store under this project, and the way back. Each ends if one of them fails. */
export interface AdoptionCommands {
    forth: string[];
    back: string[];
}

/**
 * The commands. Nothing that can be refused comes after the stop of the store.
 *
 * @param pulled Images that the engine has to pull before.
 */
export function commandsFor(
    { profile, image, pools, owner = profile.user }: AdoptedStore,
    stack: string,
    pulled: readonly string[],
): AdoptionCommands {
    const nodes = pools.flat();
    const containers = nodes.flatMap(({ container }) => container ?? []);
    const names = containers.map(({ name }) => name).join(" ");
    const drives = nodes.flatMap((node) => node.drives.map(nameOf));
    const mounts = drives.map((drive, index) => `--volume ${quoted(`${drive}:/drive${index + 1}`)}`).join(" ");
    const folders = drives.map((_, index) => `/drive${index + 1}`).join(" ");
    const handOver = (to: string) =>
        owner === profile.user
            ? []
            : [`docker run --rm --user 0:0 ${mounts} --entrypoint chown ${image} -R ${to} ${folders}`];
    const stop = [`docker update --restart no ${names}`, `docker stop ${names}`];
    const start = [
        ...containers
            .filter(({ restart }) => restart !== "no")
            .map(({ name, restart }) => `docker update --restart ${restart} ${name}`),
        `docker start ${names}`,
    ];
    return {
        forth: chained([
            ...pulled.map((reference) => `docker pull ${reference}`),
            ...(names === "" ? [STOP] : stop),
            ...handOver(profile.user),
            `npm run up -- --stack ${stack}`,
        ]),
        back: chained([`npm run down -- --stack ${stack}`, ...handOver(owner), ...(names === "" ? [START] : start)]),
    };
}

const STOP = "# stop the store, and see that nothing starts it again";
const START = "# start the store";

/** Commands of which each is run only if the one before it has succeeded, however they are pasted. */
function chained(lines: string[]): string[] {
    const last = lines.filter((line) => !line.startsWith("#")).at(-1);
    return lines.map((line) => (line.startsWith("#") || line === last ? line : `${line} &&`));
}

/** A text as one word for a shell. */
function quoted(text: string): string {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
