import type { EngineInfo } from "./engine";
import type { LocalHost } from "./localHost";

/**
 * The host's user id of a user in a container. It differs if the engine runs without root, or maps the users of containers
 * (`userns-remap`). Undefined if it can't be determined.
 *
 * @param user User id in the container, above 0.
 */
export async function hostUser(user: number, engine: EngineInfo, host: LocalHost): Promise<number | undefined> {
    if (engine.rootless) {
        const owner = (await host.folder(engine.dataFolder))?.owner;
        const range = owner === undefined ? undefined : await subordinateUsers(owner, host);
        // In a rootless engine's containers, root is the engine's own user, and user 1 is the first of its subordinate
        // users.
        return range === undefined || user > range.count ? undefined : range.first + user - 1;
    }
    if (engine.remapsUsers) {
        // Such an engine's data folder is named after the user and group that are root in its containers.
        const first = /\/(\d+)\.\d+\/*$/.exec(engine.dataFolder)?.[1];
        return first === undefined ? undefined : Number(first) + user;
    }
    return user;
}

/** The first range of a user's subordinate users (subuid(5)). */
async function subordinateUsers(owner: number, host: LocalHost): Promise<{ first: number; count: number } | undefined> {
    const fieldsOf = async (path: string) => ((await host.text(path)) ?? "").split("\n").map((line) => line.split(":"));
    const name = (await fieldsOf("/etc/passwd")).find(([, , id]) => id === String(owner))?.[0];
    const range = (await fieldsOf("/etc/subuid")).find(([user]) => user === String(owner) || user === name);
    return range === undefined ? undefined : { first: Number(range[1]), count: Number(range[2]) };
}
