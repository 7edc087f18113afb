import type Docker from "dockerode";
import type { LocalHost } from "../../components/docker/localHost";
import { StepError } from "../cli/step";
import { adoptStore, storeOn, type AdoptedStore, type Given, type NamedDrives } from "./adoptedStore";
import { runInContainer } from "./containerCommand";
import { arrange, nameOf } from "./driveFormat";
import { readDrives } from "./driveReader";
import { containersOf, readContainer } from "./foundContainer";
import { askRunningStore } from "./runningStore";

/** How a store is named. */
export type NamedStore = { containers: string[] } | { project: string } | (NamedDrives & { keys: string });

/**
 * A store that was started by other means, with everything checked that can be while it runs. Changes nothing on the engine.
 *
 * @param host The engine's host. Undefined if that is another machine.
 * @throws {StepError} with every reason why this project can't deploy it.
 */
export async function findStore(
    docker: Docker,
    named: NamedStore,
    given: Given,
    host: LocalHost | undefined,
): Promise<AdoptedStore> {
    const store = await namedStore(docker, named, given);
    const asked = await Promise.allSettled([onItsDrives(docker, store), askNodes(docker, store)]);
    const reasons = asked.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
    const unexpected = reasons.find((reason) => !(reason instanceof StepError));
    if (unexpected !== undefined) {
        throw unexpected;
    }
    if (reasons.length > 0 || asked[0].status === "rejected") {
        throw new StepError(reasons.map(({ message }) => message).join("\n"));
    }
    return onItsDevices(asked[0].value, host);
}

async function namedStore(docker: Docker, named: NamedStore, given: Given): Promise<AdoptedStore> {
    if ("drives" in named) {
        return storeOn(named, named.keys, given);
    }
    if ("containers" in named) {
        return adoptStore(await Promise.all(named.containers.map((name) => readContainer(docker, name))), given);
    }
    const names = await containersOf(docker, named.project);
    const containers = await Promise.all(names.map((name) => readContainer(docker, name)));
    const stores = containers.filter(({ process }) => process !== undefined);
    if (stores.length === 0) {
        throw new StepError(
            `no container of the compose project ${named.project} runs a store (it has ${names.join(", ") || "none"}): start it, or name its ` +
                "containers by --container",
        );
    }
    return adoptStore(stores, given);
}

/** The store with its drives in the order of its layout, and with their owner. */
async function onItsDrives(docker: Docker, store: AdoptedStore): Promise<AdoptedStore> {
    const { formatFile } = store.profile;
    const drives = store.pools.flat().flatMap((node) => node.drives);
    const found = await readDrives(docker, drives, formatFile);
    const problems = await usedDrives(docker, store);
    const pools = store.pools.map((nodes) => arrange(nodes, found, formatFile, problems));
    const owners = new Set([...found.values()].flatMap(({ owner }) => owner ?? []));
    if (owners.size > 1) {
        problems.push(
            `the drives' files have different owners (${[...owners].join(", ")}), so there would be no way back: give all of them one ` +
                "(chown -R)",
        );
    }
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return { ...store, pools, owner: [...owners][0] };
}

/** Drives that are named although a container has them, so that it could have been named. */
async function usedDrives(docker: Docker, { pools }: AdoptedStore): Promise<string[]> {
    const drives = pools.flat().flatMap(({ container, drives: own }) => (container === undefined ? own : []));
    const running = drives.length === 0 ? [] : await docker.listContainers();
    return drives.flatMap((drive) =>
        running
            .filter(({ Mounts: mounts }) =>
                mounts.some(({ Name: name, Source: source }) => [name, source].includes(nameOf(drive))),
            )
            .map(
                ({ Names: [name = ""] }) =>
                    `${nameOf(drive)} is in use by ${name.slice(1)}: name the store by --container ${name.slice(1)}`,
            ),
    );
}

async function askNodes(docker: Docker, store: AdoptedStore): Promise<void> {
    const { profile, address, region, accessKey, secretKey } = store;
    const containers = store.pools.flat().flatMap(({ container }) => container ?? []);
    const problems = await Promise.all(
        containers.map(({ name, hasConsole }) =>
            askRunningStore(
                { name, profile, address, region, hasConsole, keys: { accessKey, secretKey } },
                (command, input) => runInContainer(docker, name, command, input),
            ),
        ),
    );
    if (problems.flat().length > 0) {
        throw new StepError(problems.flat().join("\n"));
    }
}

/** The store with what its folders' devices mean. */
async function onItsDevices(store: AdoptedStore, host: LocalHost | undefined): Promise<AdoptedStore> {
    const paths = store.pools.flatMap((nodes) =>
        nodes.flatMap(({ drives }) => drives.flatMap(({ path }) => path ?? [])),
    );
    const devices = await Promise.all(paths.map(async (path) => (await host?.folder(path))?.device));
    const known = devices.filter((device) => device !== undefined);
    if (store.drivesOnOneDevice || new Set(known).size === known.length) {
        return store;
    }
    const note =
        "allowDrivesOnOneDevice: is true, since several drives are on one device, as they were: a failure of that disk loses all of them";
    return { ...store, drivesOnOneDevice: true, notes: [...store.notes, note] };
}
