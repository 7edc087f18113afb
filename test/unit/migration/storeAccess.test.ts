import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingAccess } from "../../../migration/storeAccess";

describe("users and policies that another store has not taken over", () => {
    let drives: string[];

    beforeEach(() => (drives = ["one", "two"].map((name) => mkdtempSync(join(tmpdir(), `drive-${name}-`)))));

    afterEach(() => drives.forEach((drive) => rmSync(drive, { recursive: true })));

    const write = (drive: number, entry: string) => {
        const folder = join(drives[drive] ?? "", entry);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "xl.meta"), "XL2");
    };

    const missing = () =>
        missingAccess(
            drives.map((drive) => ({
                run: ([file = "", ...args]) =>
                    Promise.resolve({ code: 0, output: execFileSync(file, args, { encoding: "utf8" }) }),
                folders: [drive],
            })),
            { from: ".old/iam", to: ".new/iam" },
        );

    test("are found on any drive, whatever their names", async () => {
        write(0, ".old/iam/users/somebody/identity.json");
        write(1, ".old/iam/users/some body@example.org/identity.json");
        write(1, ".old/iam/users/.hidden/identity.json");
        write(0, ".old/iam/policies/own/policy.json");
        write(0, ".old/iam/policydb/users/somebody.json");
        write(1, ".old/iam/groups/staff/members.json");
        write(0, ".old/iam/service-accounts/robot/identity.json");
        write(0, ".old/iam/sts/temporary/identity.json");
        write(1, ".new/iam/users/somebody/identity.json");
        write(0, ".new/iam/groups/staff/members.json");
        expect(await missing()).toEqual([
            "policies/own",
            "policydb/users/somebody.json",
            "service-accounts/robot",
            "users/.hidden",
            "users/some body@example.org",
        ]);
    });

    test("are none if there are none, or if all are there", async () => {
        expect(await missing()).toEqual([]);
        write(0, ".old/iam/users/somebody/identity.json");
        write(1, ".new/iam/users/somebody/identity.json");
        expect(await missing()).toEqual([]);
    });

    test("a drive that can't be read is an error", async () => {
        const run = () => Promise.resolve({ code: 2, output: "no such container\n" });
        await expect(missingAccess([{ run, folders: [] }], { from: "a", to: "b" })).rejects.toThrow(
            "users and policies on the drives can't be listed: no such container",
        );
    });
});
