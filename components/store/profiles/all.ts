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
const MIGRATED = [rustfsProfile.name, minioProfile.name];

/** Whether `npm run migrate` gives drives of one store to another. */
export function canMigrate(from: string, to: string): boolean {
    return from !== to && [from, to].every((name) => MIGRATED.includes(name));
}
