import { minioProfile } from "./minio";
import { rustfsProfile } from "./rustfs";
import { serviceProfile } from "./contract";
import type { ServiceProfile } from "../serviceProfile";

const PROFILES: { [name: string]: ServiceProfile } = {
    service: serviceProfile,
    rustfs: rustfsProfile,
    minio: minioProfile,
};

/** The profile of a cluster without a configured one. */
export const DEFAULT_PROFILE = rustfsProfile;

/** Names of the built-in profiles. */
export const profileNames: readonly string[] = Object.keys(PROFILES);

/** The built-in profile of that name, if there is one. */
export function findProfile(name: string): ServiceProfile | undefined {
    return Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
}

/** Stores between which `npm run migrate` moves drives, both ways. */
const MIGRATED = [rustfsProfile, minioProfile];

/** Whether `npm run migrate` gives drives of one store to another. */
export function canMigrate(from: string, to: string): boolean {
    return from !== to && [from, to].every((name) => MIGRATED.some((profile) => profile.name === name));
}

/** Files that show that a drive has data: the store's own format file, and those of stores that it can be migrated from. */
export function formatFilesFor({ name, formatFile }: ServiceProfile): string[] {
    return [formatFile, ...MIGRATED.filter((one) => canMigrate(one.name, name)).map((one) => one.formatFile)];
}

/** Users that may own the drives of a store: its own, and those of stores that it can be migrated from. */
export function ownersFor({ name, user }: ServiceProfile): string[] {
    return [user, ...MIGRATED.filter((one) => canMigrate(one.name, name)).map((one) => one.user)];
}
