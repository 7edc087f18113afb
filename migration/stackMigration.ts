import { DockerEngine } from "../components/docker/engine";
import { HostEngines } from "../components/docker/hosts";
import { findProfile } from "../components/store/profiles/all";
import { hostsOfStack } from "../tools/stack/stackHosts";
import { pullImage } from "../tools/images/engineImages";
import { adoptContext, adoptHosts, adoptStackEngine } from "../tools/stack/namedEngine";
import { runAttached } from "../tools/machine/run";
import { enginesOfHosts, onlyEngine, type StackTarget } from "../tools/stack/stackEngines";
import { say, step, StepError } from "../tools/cli/step";
import { PROJECT } from "../tools/paths";
import { whileNobodyUpdates } from "../tools/pulumi/updateLock";
import { askPulumi, onStack, readConfig, type Workspace } from "../tools/pulumi/workspace";
import { findCluster, type FoundCluster, type MigrationHost } from "./foundCluster";
import { migrateBack, migrateTo, storeOf, type MigrateOptions, type Outcome } from "./migrate";
import { defaultOf } from "../components/args/schema";

/** What `npm run migrate` was asked for. */
export interface MigrateRequest {
    /** Store that gets the drives. Undefined: back to the one that the cluster had. */
    to?: string;
    /** Image of that store. Default: its profile's. */
    image?: string;
    check: boolean;
    loseSettings: boolean;
    loseUnreadable: boolean;
}

/** Limits of a stack that sets none, in seconds. */
const DEFAULTS = {
    readyTimeout: defaultOf("StorageClusterArgs", "readyTimeout"),
    drainTimeout: defaultOf("StorageClusterArgs", "drainTimeout"),
};

/** Migrates the cluster of a stack, and runs the update that ends it. Returns the exit code. */
export async function migrateStack(workspace: Workspace, stack: string, request: MigrateRequest): Promise<number> {
    const named = onStack(workspace, stack);
    const config = await readConfig(named);
    const secret = (key: string) => askPulumi(named, ["config", "get", key]);
    const hosts = await hostsOfStack(config, secret, stack);
    if (hosts === undefined) {
        await adoptStackEngine(config, secret, workspace.env);
    } else {
        adoptHosts(hosts, workspace.env);
    }
    const target = hosts === undefined ? await onlyEngine() : await enginesOfHosts(hosts);
    const clusterName = config("storeName") ?? `object-store-${stack}`;
    const limits = {
        readyTimeout: Number(config("readyTimeout") ?? DEFAULTS.readyTimeout),
        drainTimeout: Number(config("drainTimeout") ?? DEFAULTS.drainTimeout),
    };
    const { outcome, store, image } = await step("Migration", () =>
        whileNobodyUpdates(named, stack, () => migrateCluster(clusterName, target, limits, request)),
    );
    if (outcome !== "migrated") {
        return 0;
    }
    await step("Stack config", async () => {
        say(`setting profile to ${store}, and image to ${image}`);
        await askPulumi(named, ["config", "set", "profile", store]);
        await askPulumi(named, ["config", "set", "image", image]);
    });
    const code = await runAttached("npm", ["run", "--silent", "up", "--", "--stack", stack], {
        cwd: PROJECT,
        env: process.env,
    });
    if (code === 0) {
        await step("After the migration", () => migrateCluster(clusterName, target, limits, { ...request, to: store }));
    }
    return code;
}

/** Migrates a cluster of a program of your own, up to the update that ends it. Returns the exit code. */
export async function migrateNamedCluster(clusterName: string, request: MigrateRequest): Promise<number> {
    adoptContext();
    const { outcome, store, image } = await step("Migration", async () =>
        migrateCluster(clusterName, await onlyEngine(), DEFAULTS, request),
    );
    if (outcome === "migrated") {
        console.log(
            `\nNow set profile to "${store}" and image to "${image}" for it, and run your update: it starts ${store}.\n` +
                "Then run this command once more: it removes what the migration has left.",
        );
    }
    return 0;
}

/** @returns What was done, and the store that has the drives, with its image. */
async function migrateCluster(
    clusterName: string,
    target: StackTarget,
    limits: { readyTimeout: number; drainTimeout: number },
    { to, image, ...request }: MigrateRequest,
): Promise<{ outcome: Outcome; store: string; image: string }> {
    const cluster = await clusterOn(clusterName, target);
    const optionsFor = (store: string): MigrateOptions => {
        const profile = findProfile(store);
        const chosen = image ?? profile?.image;
        if (profile === undefined || chosen === undefined) {
            throw new StepError(`--image: ${store} has no default image. Give one, with its exact version`);
        }
        return { ...request, ...limits, to: profile, image: chosen };
    };
    const store =
        to ??
        (cluster.mark === undefined
            ? storeOf(cluster)
            : "from" in cluster.mark
              ? cluster.mark.from
              : cluster.mark.store);
    const options = optionsFor(store);
    if (!request.check && storeOf(cluster) !== store) {
        await pullOnAll(target, options.image);
    }
    const outcome = to === undefined ? await migrateBack(cluster, optionsFor) : await migrateTo(cluster, options);
    return { outcome, store, image: options.image };
}

async function clusterOn(name: string, { engines }: StackTarget): Promise<FoundCluster> {
    const hosts = await Promise.all(
        engines.map(async ({ name: host, docker, settings }): Promise<MigrationHost> => ({
            name: host,
            docker,
            engine: await DockerEngine.connect(settings),
        })),
    );
    const all = new HostEngines(new Map(hosts.map(({ name: host, engine }) => [host, engine])));
    return findCluster(name, hosts, all).catch((error: unknown) => {
        throw new StepError((error as Error).message);
    });
}

async function pullOnAll({ engines }: StackTarget, image: string): Promise<void> {
    for (const { docker } of engines) {
        if (!(await pullImage(docker, image))) {
            throw new StepError(
                `--image: no registry gave ${image}. Give one that can be pulled, or build it on the Docker daemon`,
            );
        }
    }
}
