import { demand, type StoreRequests } from "./nodeStore";

/** Paths of the admin APIs that export and import all users, groups, their keys and policies, by profile. */
const ADMIN_PATHS: { [profile: string]: string } = { minio: "/minio/admin/v3", rustfs: "/rustfs/admin/v3" };

/** Whether users can be copied between stores of these profiles. */
export function canCopyUsers(from: string, to: string): boolean {
    return from === to && from in ADMIN_PATHS;
}

/** Copies users, groups, their keys and policies. What the other store has besides stays there. */
export async function copyUsers(from: StoreRequests, to: StoreRequests, profile: string): Promise<void> {
    const admin = ADMIN_PATHS[profile];
    const { body } = await demand(from, { method: "GET", path: `${admin}/export-iam` });
    await demand(to, { method: "PUT", path: `${admin}/import-iam`, body });
}
