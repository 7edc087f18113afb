import { say } from "../cli/step";
import { readIamExport, type IamExport } from "./iamExport";
import { demand, type StoreRequest, type StoreRequests } from "./nodeStore";

/** Paths of the admin APIs that export and import all users, groups, their keys and policies, by profile. */
const ADMIN_PATHS: { [profile: string]: string } = { minio: "/minio/admin/v3", rustfs: "/rustfs/admin/v3" };

/** Whether users can be copied between stores of these profiles. */
export function canCopyUsers(from: string, to: string): boolean {
    return from === to && from in ADMIN_PATHS;
}

/**
 * Copies users, groups, their keys and policies, and removes those that the first store doesn't have. Names what can't be
 * removed.
 */
export async function copyUsers(from: StoreRequests, to: StoreRequests, profile: string): Promise<void> {
    const admin = ADMIN_PATHS[profile];
    const exported = (store: StoreRequests) => demand(store, { method: "GET", path: `${admin}/export-iam` });
    const [{ body: wanted }, { body: found }] = await Promise.all([exported(from), exported(to)]);
    for (const { what, path, ...request } of removalsOf(readIamExport(wanted), readIamExport(found))) {
        const { status, body } = await to.send({ ...request, path: `${admin}${path}` });
        // What belongs to something that was removed is gone with it.
        if (status > 299 && status !== 404) {
            say(`${what} is gone from the first store. Remove it from the second one: ${status} ${body.toString()}`);
        }
    }
    await demand(to, { method: "PUT", path: `${admin}/import-iam`, body: wanted });
}

/** The request that removes something that only the second store has. */
export interface Removal extends StoreRequest {
    what: string;
}

/** What has to be removed from the second store, in an order in which nothing is in use when it is removed. */
export function removalsOf(wanted: IamExport, found: IamExport): Removal[] {
    const extra = (file: string) => Object.keys(found[file] ?? {}).filter((name) => !(name in (wanted[file] ?? {})));
    const mapping = (isGroup: boolean) => (name: string) => ({
        what: `the policy of ${isGroup ? "group" : "user"} ${name}`,
        method: "PUT" as const,
        path: `/set-user-or-group-policy?isGroup=${isGroup}&policyName=&userOrGroup=${encoded(name)}`,
    });
    const isThere = (file: string) => (name: string) => name in (wanted[file] ?? {});
    return [
        ...extra("user_mappings").filter(isThere("users")).map(mapping(false)),
        ...extra("group_mappings").filter(isThere("groups")).map(mapping(true)),
        ...Object.keys(found["groups"] ?? {}).flatMap((name) => {
            const members = membersOf(found, name).filter((member) => !membersOf(wanted, name).includes(member));
            const removed = isThere("groups")(name) ? [] : [withoutMembers(name, [])];
            return [...(members.length === 0 ? [] : [withoutMembers(name, members)]), ...removed];
        }),
        ...extra("svcaccts").map((name) => removal(`access key ${name}`, "/delete-service-account?accessKey", name)),
        ...extra("users").map((name) => removal(`user ${name}`, "/remove-user?accessKey", name)),
        ...extra("policies").map((name) => removal(`policy ${name}`, "/remove-canned-policy?name", name)),
    ];
}

function removal(what: string, path: string, name: string): Removal {
    return { what, method: "DELETE", path: `${path}=${encoded(name)}` };
}

/** Takes members out of a group; without members, it removes the group, which has none. */
function withoutMembers(group: string, members: string[]): Removal {
    const body = Buffer.from(JSON.stringify({ group, members, groupStatus: "enabled", isRemove: true }));
    return {
        what: `a member of the group ${group}, or all of it,`,
        method: "PUT",
        path: "/update-group-members",
        body,
    };
}

function membersOf(users: IamExport, group: string): string[] {
    return (users["groups"]?.[group] as { members?: string[] | null } | undefined)?.members ?? [];
}

/** As signatures want it. */
function encoded(text: string): string {
    return encodeURIComponent(text).replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
}
