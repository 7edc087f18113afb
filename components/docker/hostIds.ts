import type { EngineInfo } from "./model";
import type { HostFolder, LocalHost } from "./localHost";

/** Ids of the host that follow each other. */
interface IdRange {
    first: number;
    count: number;
}

/** Whose ids: each user and each group has one. */
type Kind = "user" | "group";

/** All ids of a host. */
const ALL: IdRange = { first: 0, count: 2 ** 32 };

/** Number of ids that an engine with `userns-remap` has in its containers, if nobody has set another. */
const REMAPPED = 65536;

/**
 * The host's id of a user or group in a container. It differs if the engine runs without root, or maps the users of containers
 * (`userns-remap`). Undefined if it can't be determined.
 *
 * @param id Id in the container.
 */
export async function hostId(kind: Kind, id: number, engine: EngineInfo, host: LocalHost): Promise<number | undefined> {
    let before = 0;
    for (const { first, count } of await idsOfContainers(kind, engine, host)) {
        if (id < before + count) {
            return first + id - before;
        }
        before += count;
    }
    return undefined;
}

/**
 * Whether a folder's user and group are ones in an engine's containers: only then may root in a container give it to another
 * user. Undefined if it can't be determined.
 */
export async function isOfContainers(
    { owner, group }: HostFolder,
    engine: EngineInfo,
    host: LocalHost,
): Promise<boolean | undefined> {
    const [users, groups] = await Promise.all([
        idsOfContainers("user", engine, host),
        idsOfContainers("group", engine, host),
    ]);
    const has = (ranges: IdRange[], id: number) => ranges.some(({ first, count }) => id >= first && id < first + count);
    return users.length === 0 || groups.length === 0 ? undefined : has(users, owner) && has(groups, group);
}

/** The host's ids that are ids in containers, beginning with root's. Empty if they can't be determined. */
async function idsOfContainers(kind: Kind, engine: EngineInfo, host: LocalHost): Promise<IdRange[]> {
    if (engine.rootless) {
        const data = await host.folder(engine.dataFolder);
        const subordinate = data === undefined ? undefined : await subordinateIds(kind, data.owner, host);
        // In a rootless engine's containers, root is the engine's own user, and user 1 is the first of its subordinate
        // users. The same is true of groups.
        return data === undefined || subordinate === undefined
            ? []
            : [{ first: kind === "user" ? data.owner : data.group, count: 1 }, subordinate];
    }
    if (engine.remapsUsers) {
        // Such an engine's data folder is named after the user and group that are root in its containers.
        const [, user, group] = /\/(\d+)\.(\d+)\/*$/.exec(engine.dataFolder) ?? [];
        const first = kind === "user" ? user : group;
        return first === undefined ? [] : [{ first: Number(first), count: REMAPPED }];
    }
    return [ALL];
}

/** The first range of a user's subordinate users (subuid(5)) or groups (subgid(5)). Undefined if they aren't in this file. */
async function subordinateIds(kind: Kind, owner: number, host: LocalHost): Promise<IdRange | undefined> {
    const fieldsOf = async (path: string) => ((await host.text(path)) ?? "").split("\n").map((line) => line.split(":"));
    const name = (await fieldsOf("/etc/passwd")).find(([, , id]) => id === String(owner))?.[0];
    const file = kind === "user" ? "/etc/subuid" : "/etc/subgid";
    const range = (await fieldsOf(file)).find(([user]) => user === String(owner) || user === name);
    return range === undefined ? undefined : { first: Number(range[1]), count: Number(range[2]) };
}
