import type { EngineInfo } from "./engine";
import type { LocalHost } from "./localHost";

/**
 * The user of the host that a user in a container is: another one where the engine runs without root, or keeps the users of
 * containers apart (`userns-remap`). Nothing where that can't be seen.
 *
 * @param user User id in the container, above 0.
 */
export async function hostUser(user: number, engine: EngineInfo, host: LocalHost): Promise<number | undefined> {
    if (engine.rootless) {
        const owner = (await host.folder(engine.dataFolder))?.owner;
        const range = owner === undefined ? undefined : await subordinateUsers(owner, host);
        // In a rootless engine's containers root is the engine's own user, and user 1 the first of its subordinate ones.
        return range === undefined || user > range.count ? undefined : range.first + user - 1;
    }
    if (engine.remapsUsers) {
        // Such an engine's data folder is called after the user and group that are root in its containers.
        const first = /\/(\d+)\.\d+\/*$/.exec(engine.dataFolder)?.[1];
        return first === undefined ? undefined : Number(first) + user;
    }
    return user;
}

/** The first range of subordinate users of a user (subuid(5)). */
async function subordinateUsers(owner: number, host: LocalHost): Promise<{ first: number; count: number } | undefined> {
    const fieldsOf = async (path: string) => ((await host.text(path)) ?? "").split("\n").map((line) => line.split(":"));
    const name = (await fieldsOf("/etc/passwd")).find(([, , id]) => id === String(owner))?.[0];
    const range = (await fieldsOf("/etc/subuid")).find(([user]) => user === String(owner) || user === name);
    return range === undefined ? undefined : { first: Number(range[1]), count: Number(range[2]) };
}
