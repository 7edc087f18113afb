import type { EngineInfo } from "./engine";
import type { LocalHost } from "./localHost";

/** Users of the host that follow each other. */
interface UserRange {
    first: number;
    count: number;
}

/** All users of a host. */
const EVERYBODY: UserRange = { first: 0, count: 2 ** 32 };

/** Number of users that an engine with `userns-remap` has in its containers, if nobody has set another. */
const REMAPPED = 65536;

/**
 * The host's user id of a user in a container. It differs if the engine runs without root, or maps the users of containers
 * (`userns-remap`). Undefined if it can't be determined.
 *
 * @param user User id in the container.
 */
export async function hostUser(user: number, engine: EngineInfo, host: LocalHost): Promise<number | undefined> {
    let before = 0;
    for (const { first, count } of await usersOfContainers(engine, host)) {
        if (user < before + count) {
            return first + user - before;
        }
        before += count;
    }
    return undefined;
}

/**
 * Whether a user of the host is one in an engine's containers, so that root in a container may change the owner of this user's
 * files. Undefined if it can't be determined.
 */
export async function isUserOfContainers(
    user: number,
    engine: EngineInfo,
    host: LocalHost,
): Promise<boolean | undefined> {
    const ranges = await usersOfContainers(engine, host);
    return ranges.length === 0 ? undefined : ranges.some(({ first, count }) => user >= first && user < first + count);
}

/** The host's users that are users in containers, beginning with root's. Empty if they can't be determined. */
async function usersOfContainers(engine: EngineInfo, host: LocalHost): Promise<UserRange[]> {
    if (engine.rootless) {
        const owner = (await host.folder(engine.dataFolder))?.owner;
        const subordinate = owner === undefined ? undefined : await subordinateUsers(owner, host);
        // In a rootless engine's containers, root is the engine's own user, and user 1 is the first of its subordinate
        // users.
        return owner === undefined || subordinate === undefined ? [] : [{ first: owner, count: 1 }, subordinate];
    }
    if (engine.remapsUsers) {
        // Such an engine's data folder is named after the user and group that are root in its containers.
        const first = /\/(\d+)\.\d+\/*$/.exec(engine.dataFolder)?.[1];
        return first === undefined ? [] : [{ first: Number(first), count: REMAPPED }];
    }
    return [EVERYBODY];
}

/** The first range of a user's subordinate users (subuid(5)). Undefined if they aren't in this file. */
async function subordinateUsers(owner: number, host: LocalHost): Promise<UserRange | undefined> {
    const fieldsOf = async (path: string) => ((await host.text(path)) ?? "").split("\n").map((line) => line.split(":"));
    const name = (await fieldsOf("/etc/passwd")).find(([, , id]) => id === String(owner))?.[0];
    const range = (await fieldsOf("/etc/subuid")).find(([user]) => user === String(owner) || user === name);
    return range === undefined ? undefined : { first: Number(range[1]), count: Number(range[2]) };
}
