import { minioProfile } from "./minio";
import { rustfsProfile } from "./rustfs";
import { serviceProfile } from "./contract";
import type { ServiceProfile } from "../serviceProfile";

const PROFILES: { [name: string]: ServiceProfile } = {
    service: serviceProfile,
    rustfs: rustfsProfile,
    minio: minioProfile,
};

/** The profile of a cluster that names none. */
export const DEFAULT_PROFILE = rustfsProfile;

/** Names of the profiles that come with the package. */
export const profileNames: readonly string[] = Object.keys(PROFILES);

/** The profile of that name, if it comes with the package. */
export function findProfile(name: string): ServiceProfile | undefined {
    return Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
}
