import type { AdoptedStore } from "./adoptedStore";
import type { AdoptedNode } from "./adoptedDrives";

/** Stack config of an adopted store. */
export interface AdoptedStack {
    values: { [key: string]: unknown };
    secrets: { [key: string]: string };
}

/** The stack config that deploys a store on the drives that it has. */
export function stackOf(store: AdoptedStore): AdoptedStack {
    const { profile, image, environment, secretEnvironment, s3Host, consoleHost, memory, cpus } = store;
    const [only, ...more] = store.pools.map(poolOf);
    const values = {
        profile: profile.name,
        image,
        ...(more.length === 0 ? only : { pools: [only, ...more] }),
        s3Host,
        consoleHost,
        memory,
        cpus,
        environment: Object.keys(environment).length === 0 ? undefined : environment,
        allowDrivesOnOneDevice: store.drivesOnOneDevice || undefined,
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
    const drives = nodes.map((node) => node.drives.map(({ volume, path }) => volume ?? path));
    const areVolumes = nodes[0]?.drives[0]?.volume !== undefined;
    return {
        nodeCount: nodes.length,
        drivesPerNode: drives[0]?.length ?? 0,
        [areVolumes ? "volumeNames" : "drivePaths"]: drives,
    };
}

/** Commands that put an adopted store under this project, and the way back. */
export interface AdoptionCommands {
    forth: string[];
    back: string[];
}

/** The commands for a shell, each of one line. */
export function commandsFor({ profile, image, pools }: AdoptedStore, stack: string): AdoptionCommands {
    const nodes = pools.flat();
    const containers = nodes.flatMap(({ container }) => container ?? []);
    const names = containers.map(({ name }) => name).join(" ");
    const drives = nodes.flatMap((node) => node.drives.map(({ volume, path }) => volume ?? path));
    const mounts = drives.map((drive, place) => `--volume ${quoted(`${drive}:/drive${place + 1}`)}`).join(" ");
    const folders = drives.map((_, place) => `/drive${place + 1}`).join(" ");
    const handOver = (owner: string) =>
        `docker run --rm --user 0:0 ${mounts} --entrypoint chown ${image} -R ${owner} ${folders}`;
    const up = `npm run up -- --stack ${stack}`;
    const down = `npm run down -- --stack ${stack}`;
    if (names === "") {
        return {
            forth: [STOP, handOver(profile.user), up],
            back: [down, `owner=1000:1000 # of the files before`, handOver('"$owner"'), START],
        };
    }
    const former = ownerOf(containers[0]?.user ?? "");
    const given = (owner: string) => (former === profile.user ? [] : [handOver(owner)]);
    return {
        forth: [`docker update --restart no ${names}`, `docker stop ${names}`, ...given(profile.user), up],
        back: [down, ...given(former), `docker start ${names}`],
    };
}

const STOP = "# stop the store, and see that nothing starts it again";
const START = "# start the store";

/** A text as one word for a shell. */
function quoted(text: string): string {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Owner of the files that a container's user writes. */
function ownerOf(user: string): string {
    const [uid = "", gid] = user.split(":");
    return uid === "" || uid === "root" ? "0:0" : `${uid}:${gid ?? uid}`;
}
