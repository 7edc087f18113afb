import type { EngineInfo, FolderMount } from "../../../../components/docker/model";
import { checkDriveFolders } from "../../../../components/requirements/drivePathChecks";
import { hostId } from "../../../../components/docker/hostIds";
import { LABELS } from "../../../../components/naming/labels";
import type { Problem } from "../../../../components/checks/problem";
import { ENGINE_INFO as ENGINE } from "../../fakes/askedEngines";
import { mockHost, type HostContent } from "../../fakes/mockHost";

const wantedAt = (paths: string[]) => ({
    folders: paths.map((path, index) => ({ propertyPath: `drivePaths[0][${index}]`, path })),
    allowOneDevice: true,
    clusterName: "new",
    stackName: "project/stack",
    formatFile: ".rustfs.sys/format.json",
});
const textOf = (problems: Problem[]) => problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

describe("folders of drives", () => {
    const HOST: HostContent = {
        folders: {
            "/": { entries: ["mnt"] },
            "/home": { entries: [] },
            "/mnt": { entries: ["a"] },
            "/mnt/a": { entries: ["lost+found"] },
            "/mnt/a/b": { entries: [] },
            "/mnt/b": { entries: [".rustfs.sys", "bucket"] },
            "/mnt/photos": { entries: ["2024"] },
            "/mnt/pictures": { entries: ["2024", "2025", "2026", "index"] },
            "/mnt/other": { entries: [".rustfs.sys"] },
            "/var/lib/docker": { entries: [] },
            "/var/lib/docker/drives": { entries: [] },
            "/usr/local/drive": { entries: [] },
        },
        links: { "/mnt/link": "/mnt/a", "/drives/system": "/home" },
    };
    const volumes = [
        { name: "store-pool1-node1-drive1", labels: { [LABELS.cluster]: "store" }, hostPath: "/mnt/photos" },
        { name: "other-pool1-node1-drive1", labels: { [LABELS.cluster]: "other" }, hostPath: "/mnt/other" },
    ];
    const refusals = async (
        paths: string[],
        more: Partial<typeof ENGINE> = {},
        elsewhere = false,
        mounts: FolderMount[] = [],
    ) => {
        return textOf(
            await checkDriveFolders(
                wantedAt(paths),
                { ...ENGINE, ...more },
                volumes,
                mounts,
                elsewhere ? undefined : mockHost(HOST),
            ),
        );
    };

    test.each(["/", "/home", "/mnt", "/mnt/.", "/usr/local/drive"])("%s is a system folder", async (path) => {
        expect(await refusals([path])).toEqual([expect.stringContaining(`"${path}"`)]);
        expect(await refusals([path])).toEqual([expect.stringContaining("is a folder of the system")]);
        expect(await refusals([path], {}, true)).toEqual([expect.stringContaining("is a folder of the system")]);
    });

    test("a system folder behind a link is detected", async () => {
        expect(await refusals(["/drives/system"])).toEqual([
            expect.stringContaining('"/drives/system" (/home) is a folder of the system'),
        ]);
    });

    test("inside and above the engine's data folder", async () => {
        expect(await refusals(["/var/lib/docker/drives"])).toEqual([
            expect.stringContaining("the Docker daemon's own data"),
        ]);
        expect(await refusals(["/mnt/a"], { dataFolder: "/mnt/a/docker" })).toEqual([
            expect.stringContaining("the Docker daemon's own data folder"),
        ]);
    });

    test("files that no store wrote", async () => {
        expect(await refusals(["/mnt/pictures"])).toEqual([
            expect.stringMatching(
                /"\/mnt\/pictures" holds 4 file\(s\) that no store wrote \("2024", "2025", "2026" …\)/,
            ),
        ]);
    });

    test("one folder inside another, and the same one through a link", async () => {
        expect(await refusals(["/mnt/a", "/mnt/a/b"])).toEqual([
            expect.stringMatching(/^drivePaths\[0\]\[1\]: .*overlap, since one contains the other/),
        ]);
        expect(await refusals(["/mnt/a/b", "/mnt/a"])).toEqual([
            expect.stringContaining("overlap, since one contains the other"),
        ]);
        expect(await refusals(["/mnt/a", "/mnt/link"])).toEqual([
            expect.stringContaining('"/mnt/link" (/mnt/a) is the same folder as "/mnt/a" of drivePaths[0][0]'),
        ]);
        expect(await refusals(["/mnt/x/y", "/mnt/x"], {}, true)).toEqual([
            expect.stringContaining("overlap, since one contains the other"),
        ]);
    });

    test("the drive of another store of the same deployment, through a link", async () => {
        const ofOtherStores = [{ propertyPath: "drivePaths[0][0]", path: "/mnt/a" }];
        const wanted = { ...wantedAt(["/mnt/link"]), ofOtherStores };
        expect(textOf(await checkDriveFolders(wanted, ENGINE, volumes, [], mockHost(HOST)))).toEqual([
            expect.stringContaining('"/mnt/link" (/mnt/a) is the same folder as "/mnt/a" of drivePaths[0][0]'),
        ]);
        expect(await checkDriveFolders({ ...wanted, ofOtherStores: [] }, ENGINE, volumes, [], mockHost(HOST))).toEqual(
            [],
        );
    });

    test("another stack's drive", async () => {
        expect(await refusals(["/mnt/other"])).toEqual([
            expect.stringContaining("the folder of the volume other-pool1-node1-drive1"),
        ]);
    });

    test.each([
        ["itself", "/mnt/b", "/mnt/b"],
        ["a folder above it", "/mnt/a/b", "/mnt/a"],
        ["a folder in it", "/mnt/b", "/mnt/b/bucket"],
        ["itself, behind a link", "/mnt/link", "/mnt/a"],
        ["itself, by a link", "/mnt/link", "/mnt/link"],
    ])("a running container has %s", async (_, path, mounted) => {
        const mounts = [{ container: "minio", path: mounted }];
        for (const elsewhere of [false, true]) {
            const found = await refusals([path], {}, elsewhere, mounts);
            // Links are resolved on this host only.
            expect(found).toEqual(
                elsewhere && path !== mounted && path === "/mnt/link"
                    ? []
                    : [expect.stringContaining("is in use by minio: stop that first")],
            );
        }
    });

    test("a running container with a folder of the system, or of another drive, is none's store", async () => {
        const mounts = ["/", "/mnt", "/mnt/a/c"].map((path) => ({ container: "agent", path }));
        expect(await refusals(["/mnt/b", "/mnt/a/b"], {}, false, mounts)).toEqual([]);
    });

    test("empty folders, new disks and folders with a store's data are accepted", async () => {
        expect(await refusals(["/mnt/a", "/mnt/b"])).toEqual([]);
    });

    test("if the cluster already has a drive there, nothing is checked again", async () => {
        const wanted = { ...wantedAt(["/mnt/photos/"]), clusterName: "store" };
        const mounts = [{ container: "store-pool1-node1", path: "/mnt/photos" }];
        expect(await checkDriveFolders(wanted, ENGINE, volumes, mounts, mockHost(HOST))).toEqual([]);
    });
});

describe("users and groups of containers on the host", () => {
    const ROOTLESS = { rootless: true, dataFolder: "/home/me/.local/share/docker" };
    const ROOTLESS_ELSEWHERE = { rootless: true, dataFolder: "/home/ldap/docker" };
    const UNSEEN = { rootless: true, dataFolder: "/home/you/docker" };
    const REMAPPED = { remapsUsers: true, dataFolder: "/var/lib/docker/165536.231072" };
    const files = {
        "/etc/passwd": "root:x:0:0::/root:/bin/sh\nme:x:1000:100::/home/me:/bin/sh\n",
        "/etc/subuid": "me:100000:65536\n",
        "/etc/subgid": "me:300000:65536\n",
    };
    const folders = {
        [ROOTLESS.dataFolder]: { owner: 1000, group: 100 },
        [ROOTLESS_ELSEWHERE.dataFolder]: { owner: 70000, group: 70000 },
    };

    test.each<[string, Partial<EngineInfo>, (number | undefined)[]]>([
        ["a Docker daemon of root's", {}, [10001, 0, 10001, 0]],
        ["a rootless one", ROOTLESS, [110000, 1000, 310000, 100]],
        ["one that remaps users", REMAPPED, [175537, 165536, 241073, 231072]],
        ["one that can't be seen into", UNSEEN, [undefined, undefined, undefined, undefined]],
    ])("%s", async (_name, engine, expected) => {
        const host = mockHost({ folders, files });
        const found = (["user", "group"] as const).flatMap((kind) =>
            [10001, 0].map((id) => hostId(kind, id, { ...ENGINE, ...engine }, host)),
        );
        expect(await Promise.all(found)).toEqual(expected);
    });

    test.each<[string, Partial<EngineInfo>, number, number, string | undefined]>([
        ["root's", {}, 0, 0, undefined],
        ["a rootless one's, of its own user", ROOTLESS, 1000, 100, undefined],
        ["a rootless one's, of its containers", ROOTLESS, 110000, 310000, undefined],
        ["a rootless one's, of root", ROOTLESS, 0, 0, "1000:100"],
        ["a rootless one's, of its own user and root's group", ROOTLESS, 1000, 0, "1000:100"],
        ["one's that remaps users, of its containers", REMAPPED, 175537, 241073, undefined],
        ["one's that remaps users, of root", REMAPPED, 0, 0, "165536:231072"],
        ["one's that remaps users, of root's group", REMAPPED, 165536, 0, "165536:231072"],
        ["a rootless one's, whose subordinate users are elsewhere", ROOTLESS_ELSEWHERE, 1001, 1001, undefined],
        ["one's that can't be seen into", UNSEEN, 1000, 1000, undefined],
    ])("a drive's folder on an engine: %s", async (_name, engine, owner, group, needed) => {
        const host = mockHost({ folders: { ...folders, "/mnt/a": { owner, group, entries: [] } }, files });
        const problems = await checkDriveFolders(wantedAt(["/mnt/a"]), { ...ENGINE, ...engine }, [], [], host);
        const refusal = expect.stringMatching(
            new RegExp(
                `^drivePaths\\[0\\]\\[0\\]: "/mnt/a" belongs to user ${owner} and group ${group}, .* sudo chown ${needed} "/mnt/a"$`,
            ),
        ) as string;
        expect(textOf(problems)).toEqual(needed === undefined ? [] : [refusal]);
    });
});
