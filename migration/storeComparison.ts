import { indent } from "../components/docker/containerReport";
import { poll } from "../components/docker/poll";
import type { NodeSpec } from "../components/store/topology";
import type { MigrationDependencies } from "./migrationDependencies";
import { missingAccess, type AccessFolders, type NodeDrives } from "./storeAccess";
import { StoreQuestions, type StoreContent } from "./storeContent";
import { differencesBetween, type Difference } from "./storeDifferences";
import { addedSettings, type Migration } from "./supported";
import { unexplained, unreadableAmong, type LookedAtDrive, type UnreadableObject } from "./unreadableObjects";

/** Time, in seconds, in which the new store takes over users and policies once it is ready. */
const ACCESS_SECONDS = 15;

/** Number of differences that a message lists. */
const SHOWN = 10;

/** What is compared of two stores. */
export interface ComparisonOptions {
    migration: Migration;
    /** Whether bucket settings that the new store doesn't have may lose their effect, and users and policies may be lost. */
    mayLoseSettings: boolean;
    /** Whether there may be objects that the new store can't read. */
    mayLoseObjects: boolean;
}

/** Compares a store that is tried on the drives of a cluster with the former one. */
export class StoreComparison {
    /**
     * @param nodes The nodes, with the former store's containers.
     * @param goesOn Throws if the program is interrupted.
     */
    constructor(
        private readonly dependencies: Pick<MigrationDependencies, "engine" | "clock" | "report">,
        private readonly nodes: readonly { place: NodeSpec; container: { id: string } }[],
        private readonly options: ComparisonOptions,
        private readonly goesOn: () => void,
    ) {}

    /** What the former store has. Undefined if that doesn't run and need not. */
    async former(): Promise<StoreContent | undefined> {
        const { migration, mayLoseObjects } = this.options;
        const asked = await this.anyReady();
        if (asked === undefined) {
            const reason = `${migration.from.name} is not ready on any node`;
            if (migration.needsFormer) {
                throw new Error(`${reason}: correct that first`);
            }
            await this.dependencies.report.warning(
                `${reason}: what ${migration.to.name} has can't be compared with anything`,
            );
            return undefined;
        }
        return this.questions(asked, migration.from).content(mayLoseObjects);
    }

    /**
     * Compares what the new store has with what the former one had: buckets and objects, users and policies.
     *
     * @param before That of the former one. Undefined if it isn't known.
     * @param tried Ids of the new store's containers, in the order of the nodes.
     * @throws {Error} that names what differs.
     */
    async compare(before: StoreContent | undefined, tried: string[]): Promise<void> {
        const { migration, mayLoseSettings, mayLoseObjects } = this.options;
        if (before !== undefined) {
            const store = this.questions(tried[0] ?? "", migration.to);
            const after = await store.content(mayLoseObjects, [...before.samples.keys()]);
            const missing = mayLoseSettings ? migration.missingSettings : [];
            const settings = { missing, added: [...missing, ...addedSettings(migration)] };
            const found = await this.withoutUnreadable(tried, differencesBetween(before, after, settings));
            this.refuseDifferences(found.map(({ text }) => text));
        }
        if (migration.access !== undefined && !mayLoseSettings) {
            await this.refuseLostAccess(tried, migration.access);
        }
    }

    private async anyReady(): Promise<string | undefined> {
        for (const { container } of this.nodes) {
            if ((await this.dependencies.engine.checkHealth(container.id)).code === 0) {
                return container.id;
            }
        }
        return undefined;
    }

    private questions(container: string, profile: Migration["from"]): StoreQuestions {
        return new StoreQuestions(
            (command, seconds) => {
                this.goesOn();
                return this.dependencies.engine.run(container, command, [], seconds);
            },
            profile,
            this.dependencies.clock,
        );
    }

    private refuseDifferences(differences: string[], ...advice: string[]): void {
        if (differences.length > 0) {
            const more = differences.length > SHOWN ? [`and ${differences.length - SHOWN} more`] : [];
            throw new Error(
                [
                    `${this.options.migration.to.name} doesn't have what ${this.options.migration.from.name} had:`,
                    ...[...differences.slice(0, SHOWN), ...more].map(indent),
                    ...advice,
                ].join("\n"),
            );
        }
    }

    /** The differences but those of objects that the new store can't read, if there may be any. A warning names these. */
    private async withoutUnreadable(tried: string[], differences: Difference[]): Promise<Difference[]> {
        const { migration, mayLoseObjects } = this.options;
        const objects = [...new Set(differences.flatMap(({ object }) => object ?? []))];
        if (!mayLoseObjects || objects.length === 0) {
            return differences;
        }
        const drives = this.nodeDrives(tried).flatMap(({ folders, ...node }) =>
            folders.map((folder) => ({ ...node, folder })),
        );
        const unreadable = await unreadableAmong(drives, migration, objects);
        if (unreadable.length > 0) {
            await this.dependencies.report.warning(describeUnreadable(migration, unreadable));
        }
        return unexplained(differences, unreadable, migration.unreadable);
    }

    private nodeDrives(tried: string[]): (NodeDrives & Pick<LookedAtDrive, "node" | "host">)[] {
        return this.nodes.map(({ place: { name, host, drives } }, index) => ({
            node: name,
            host,
            run: (command, seconds) => this.dependencies.engine.run(tried[index] ?? "", command, [], seconds),
            folders: drives.map(({ mountPath }) => mountPath),
        }));
    }

    /** Compares the names of users, groups, policies and service accounts, as both stores keep them on the drives. */
    private async refuseLostAccess(tried: string[], access: AccessFolders): Promise<void> {
        const nodes = this.nodeDrives(tried);
        let missing: string[] = [];
        await poll(
            async () => {
                this.goesOn();
                missing = await missingAccess(nodes, access);
                return missing.length === 0 ? true : undefined;
            },
            { clock: this.dependencies.clock, timeout: ACCESS_SECONDS },
        );
        this.refuseDifferences(
            missing.map((entry) => `${entry} isn't there`),
            "If these users and policies may be lost, add `--lose-settings`.",
        );
    }
}

/** On a way back it is the present store that can't read what the former one has written. */
function describeUnreadable({ from, to, needsFormer }: Migration, unreadable: readonly UnreadableObject[]): string {
    const named = unreadable.slice(0, SHOWN).map(({ kind, object }) => `${object} (${kind})`);
    const more = unreadable.length > SHOWN ? ` and ${unreadable.length - SHOWN} more` : "";
    const what = needsFormer
        ? `${to.name} can't read objects that ${from.name} could read`
        : `${from.name} and ${to.name} don't return the same for some objects, which one of them can't read`;
    return `${what}, as --lose-unreadable permits. Among those that were compared: ${named.join(", ")}${more}`;
}
