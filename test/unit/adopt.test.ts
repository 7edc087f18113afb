import { drivesOf } from "../../tools/adopt/adoptedDrives";
import { commandsFor, stackOf } from "../../tools/adopt/adoptedStack";
import { minioProfile } from "../../components";
import { adoptStore, storeOn } from "../../tools/adopt/adoptedStore";
import type { FoundContainer } from "../../tools/adopt/foundContainer";
import { expandRanges } from "../../tools/adopt/ranges";
import { splitCommand } from "../../tools/adopt/storeCommand";

const MINIO = "minio/minio:RELEASE.2025-09-07T16-13-09Z";

/** A MinIO on one volume, as its documentation starts it. */
function container(more: Partial<FoundContainer> = {}): FoundContainer {
    return {
        name: "minio",
        image: MINIO,
        args: ["/usr/bin/docker-entrypoint.sh", "minio", "server", "/data", "--console-address", ":9001"],
        variables: { MINIO_ROOT_USER: "admin", MINIO_ROOT_PASSWORD: "a-password" },
        imageVariables: { PATH: "/bin", MINIO_ROOT_USER_FILE: "access_key", MINIO_ROOT_PASSWORD_FILE: "secret_key" },
        mounts: [{ volume: "data", at: "/data" }],
        hostnames: ["minio", "0123456789ab"],
        user: "",
        memory: 0,
        cpus: 0,
        running: true,
        readFile: () => Promise.resolve(undefined),
        ...more,
    };
}

/** Nodes of a cluster with two drives each, as its documentation starts them. */
function cluster(count = 4): FoundContainer[] {
    return Array.from({ length: count }, (_, place) =>
        container({
            name: `project-minio${place + 1}-1`,
            hostnames: [`project-minio${place + 1}-1`, `minio${place + 1}`],
            args: ["minio", "server", "http://minio{1...4}/data{1...2}"],
            mounts: [
                { volume: `data${place + 1}-1`, at: "/data1" },
                { volume: `data${place + 1}-2`, at: "/data2" },
            ],
        }),
    );
}

test.each([
    ["/data", ["/data"]],
    ["/data{1...3}", ["/data1", "/data2", "/data3"]],
    ["/data{01...03}/x", ["/data01/x", "/data02/x", "/data03/x"]],
    ["h{1...2}/d{1...2}", ["h1/d1", "h1/d2", "h2/d1", "h2/d2"]],
    ["/data{3...1}", []],
])("the range %s", (pattern, expected) => {
    expect(expandRanges(pattern)).toEqual(expected);
});

describe("a store's command", () => {
    test.each([
        [
            ["minio", "server", "/a", "/b"],
            ["/a", "/b"],
        ],
        [["/usr/bin/docker-entrypoint.sh", "server", "--address=:9000", "/a"], ["/a"]],
        [["minio", "server", "--console-address", ":9001", "/a{1...4}"], ["/a{1...4}"]],
        [["minio", "--quiet", "server", "/a"], ["/a"]],
        [["/entrypoint.sh", "rustfs"], ["/fallback"]],
        [["rustfs", "--console-enable", "/data/rustfs{0...3}"], ["/data/rustfs{0...3}"]],
        [["minio", "server"], ["/fallback"]],
        [
            ["minio", "server", "/mnt/a", "/mnt/minio"],
            ["/mnt/a", "/mnt/minio"],
        ],
        [["minio", "server", "/server"], ["/server"]],
        [["minio", "server", "server"], ["server"]],
        [["/usr/bin/tini", "--", "/usr/bin/docker-entrypoint.sh", "minio", "server", "/a"], ["/a"]],
        [["/usr/bin/rustfs", "/mnt/rustfs"], ["/mnt/rustfs"]],
        [["/entrypoint.sh", "/mnt/rustfs"], ["/mnt/rustfs"]],
        [["/minio", "server", "/a"], ["/a"]],
    ])("%j has the drives %j", (args, volumes) => {
        expect(splitCommand(args, "/fallback")?.volumes).toEqual(volumes);
    });

    test("several drives in the variable", () => {
        expect(splitCommand(["minio", "server"], "/a  /b")?.volumes).toEqual(["/a", "/b"]);
    });

    test("a shell's command isn't split", () => {
        expect(splitCommand(["sh", "-c", "minio server /data"], undefined)).toBeUndefined();
    });
});

describe("the stack of a store", () => {
    const stackFor = async (containers: FoundContainer[]) => stackOf(await adoptStore(containers));

    test("one node with one volume", async () => {
        expect(await stackFor([container()])).toEqual({
            values: { profile: "minio", image: MINIO, nodeCount: 1, drivesPerNode: 1, volumeNames: [["data"]] },
            secrets: { accessKey: "admin", secretKey: "a-password" },
        });
    });

    test("four drives on folders, below one that is mounted and on their own", async () => {
        const mounts = [
            { path: "/srv/minio", at: "/data" },
            { path: "/mnt/four", at: "/data/4" },
        ];
        const { values } = await stackFor([container({ args: ["minio", "server", "/data/{1...4}"], mounts })]);
        expect(values).toMatchObject({
            nodeCount: 1,
            drivesPerNode: 4,
            drivePaths: [["/srv/minio/1", "/srv/minio/2", "/srv/minio/3", "/mnt/four"]],
        });
    });

    test("four nodes with two drives each, named in any order", async () => {
        const { values } = await stackFor(cluster().reverse());
        expect(values).toMatchObject({
            nodeCount: 4,
            drivesPerNode: 2,
            volumeNames: [1, 2, 3, 4].map((node) => [`data${node}-1`, `data${node}-2`]),
        });
    });

    test("a drive that is called like the other store", async () => {
        const mounts = [{ path: "/srv/data", at: "/mnt/rustfs" }];
        const store = await adoptStore([container({ args: ["minio", "server", "/mnt/rustfs"], mounts })]);
        expect([store.profile.name, store.pools[0]?.[0]?.drives]).toEqual(["minio", [{ path: "/srv/data" }]]);
    });

    test("two pools", async () => {
        const args = ["minio", "server", "http://minio{1...2}/data{1...2}", "http://minio{3...4}/data{1...2}"];
        const { values } = await stackFor(cluster().map((node) => ({ ...node, args })));
        expect(values["pools"]).toEqual([
            { nodeCount: 2, drivesPerNode: 2, volumeNames: [1, 2].map((node) => [`data${node}-1`, `data${node}-2`]) },
            { nodeCount: 2, drivesPerNode: 2, volumeNames: [3, 4].map((node) => [`data${node}-1`, `data${node}-2`]) },
        ]);
        expect(values["nodeCount"]).toBeUndefined();
    });

    test("RustFS as its image starts it", async () => {
        const rustfs = container({
            image: "rustfs/rustfs:1.0.1",
            args: ["/entrypoint.sh", "rustfs"],
            variables: { RUSTFS_ACCESS_KEY: "admin", RUSTFS_SECRET_KEY: "a-password", RUSTFS_CONSOLE_ENABLE: "true" },
            imageVariables: { RUSTFS_VOLUMES: "/data" },
            user: "rustfs",
        });
        const store = await adoptStore([rustfs]);
        expect(stackOf(store)).toMatchObject({
            values: { profile: "rustfs", volumeNames: [["data"]] },
            secrets: { accessKey: "admin", secretKey: "a-password" },
        });
        expect(store.leftOut).toEqual(["RUSTFS_CONSOLE_ENABLE: this project sets it"]);
    });

    test("variables, hostnames and limits", async () => {
        const variables = {
            MINIO_ROOT_USER: "admin",
            MINIO_ROOT_PASSWORD: "a-password",
            MINIO_SERVER_URL: "https://s3.example.com",
            MINIO_BROWSER_REDIRECT_URL: "https://console.example.com/minio",
            MINIO_DOMAIN: "s3.example.com",
            MINIO_API_REQUESTS_MAX: "400",
            MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN: "a-token",
            TZ: "Europe/Berlin",
        };
        const store = await adoptStore([container({ variables, memory: 2 * 1024 ** 3, cpus: 1.5e9 })]);
        const { values, secrets } = stackOf(store);
        expect(values).toMatchObject({
            s3Host: "s3.example.com",
            consoleHost: "console.example.com",
            memory: 2048,
            cpus: 1.5,
            environment: { MINIO_API_REQUESTS_MAX: "400", TZ: "Europe/Berlin" },
        });
        expect(secrets["secretEnvironment"]).toBe('{"MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN":"a-token"}');
        expect(JSON.stringify(values)).not.toMatch(/a-token|a-password/);
        expect(store.leftOut.join()).not.toMatch(/a-token|a-password/);
        expect(store.leftOut).toContain("MINIO_DOMAIN: virtualHostBuckets sets it to s3Host");
    });

    test.each([
        ["none: MinIO's own", {}, undefined, "minioadmin", "minioadmin"],
        ["older names", { MINIO_ACCESS_KEY: "old", MINIO_SECRET_KEY: "older" }, undefined, "old", "older"],
        [
            "files",
            { MINIO_ROOT_USER_FILE: "/a", MINIO_ROOT_PASSWORD_FILE: "/b" },
            (path: string) => `of ${path}\n`,
            "of /a",
            "of /b",
        ],
        [
            "secrets of Docker",
            {},
            (path: string) => `of ${path}`,
            "of /run/secrets/access_key",
            "of /run/secrets/secret_key",
        ],
    ])("root keys: %s", async (_, variables: { [name: string]: string }, text, accessKey, secretKey) => {
        const readFile = (path: string) => Promise.resolve(text?.(path));
        const { secrets } = await stackFor([container({ variables, readFile })]);
        expect(secrets).toEqual({ accessKey, secretKey });
    });
});

describe("a store that is named by its drives", () => {
    const drives = [{ path: "/mnt/a" }, { path: "/mnt/b" }];

    test("gets the keys of the standard input, and the profile's image", () => {
        const store = storeOn({ store: "minio", image: undefined, drives }, "admin\na-password\n");
        expect(stackOf(store)).toEqual({
            values: {
                profile: "minio",
                image: minioProfile.image,
                nodeCount: 1,
                drivesPerNode: 2,
                drivePaths: [["/mnt/a", "/mnt/b"]],
            },
            secrets: { accessKey: "admin", secretKey: "a-password" },
        });
        const { forth, back } = commandsFor(store, "prod");
        expect(forth[1]).toContain("--volume /mnt/a:/drive1 --volume /mnt/b:/drive2");
        expect(back.join()).toContain("chown minio/minio");
    });

    test("is refused with every reason", () => {
        const mixed = [...drives, { volume: "c" }];
        expect(() => storeOn({ store: "garage", image: undefined, drives: mixed }, "")).toThrow(
            /^--store "garage" [^]*\n--volume and --path [^]*\nthe store's root keys are missing/,
        );
    });
});

describe("a store that can't be deployed once more is refused:", () => {
    test.each<[string, FoundContainer[], RegExp]>([
        [
            "another program",
            [container({ args: ["nginx"], variables: {}, imageVariables: {} })],
            /neither MinIO nor RustFS/,
        ],
        ["a shell", [container({ args: ["sh", "-c", "minio server /data"] })], /by a shell/],
        [
            "variables in a file",
            [container({ variables: { MINIO_CONFIG_ENV_FILE: "/etc/minio" } })],
            /MINIO_CONFIG_ENV_FILE/,
        ],
        [
            "a root key's file that isn't there",
            [container({ variables: { MINIO_ROOT_USER_FILE: "/a" } })],
            /no file \/a/,
        ],
        ["data in the container itself", [container({ mounts: [] })], /\/data is in the container itself/],
        [
            "a folder of a volume",
            [container({ args: ["minio", "server", "/data/a"] })],
            /\/data\/a is a folder of the volume data/,
        ],
        [
            "volumes beside folders",
            [
                container({
                    args: ["minio", "server", "/data", "/more"],
                    mounts: [
                        { volume: "data", at: "/data" },
                        { path: "/srv", at: "/more" },
                    ],
                }),
            ],
            /all must be of one kind/,
        ],
        ["pools on one node", [container({ args: ["minio", "server", "/a{1...4}", "/b{1...4}"] })], /several pools/],
        ["a path beside a URL", [container({ args: ["minio", "server", "/a", "http://b/a"] })], /by path and by URL/],
        ["a missing node", cluster(3), /none of the containers is the node minio4/],
        ["a container that is no node", [...cluster(), container({ args: [] })], /minio is no node of the store/],
        [
            "another image",
            cluster().map((node, place) => (place === 2 ? { ...node, image: "other" } : node)),
            /same image.*other/,
        ],
        ["none", [], /no container/],
    ])("%s", async (_, containers, reason) => {
        await expect(adoptStore(containers)).rejects.toThrow(reason);
    });

    test("every reason is given at once", async () => {
        const nodes = cluster(3).map((node, place) => (place === 1 ? { ...node, image: "other" } : node));
        const variables = { MINIO_ROOT_USER_FILE: "/a", MINIO_ROOT_PASSWORD: "a-password" };
        await expect(adoptStore([{ ...(nodes[0] as FoundContainer), variables }, ...nodes.slice(1)])).rejects.toThrow(
            /minio4[^]*same image[^]*no file \/a/,
        );
    });

    test("a command's secrets are not shown", async () => {
        const args = ["sh", "-c", "MINIO_ROOT_PASSWORD=a-password minio server /data"];
        await expect(adoptStore([container({ args })])).rejects.not.toThrow(/a-password/);
    });

    test("other root keys on another node", async () => {
        const nodes = cluster().map((node, place) =>
            place === 2 ? { ...node, variables: { ...node.variables, MINIO_ROOT_PASSWORD: "other" } } : node,
        );
        await expect(adoptStore(nodes)).rejects.toThrow(/project-minio3-1 has other variables.*MINIO_ROOT_PASSWORD/);
    });

    test("a list with some ranges", () => {
        expect(() => drivesOf(cluster(), ["http://minio{1...2}/data1", "http://minio3/data1"])).toThrow(
            /can't be deployed/,
        );
    });

    test("no drives", () => {
        expect(() => drivesOf([container()], [])).toThrow(/aren't named/);
    });
});

describe("the commands", () => {
    test("hand the files over and back", async () => {
        expect(commandsFor(await adoptStore([container()]), "prod")).toEqual({
            forth: [
                "docker update --restart no minio",
                "docker stop minio",
                `docker run --rm --user 0:0 --volume data:/drive1 --entrypoint chown ${MINIO} -R 1000:1000 /drive1`,
                "npm run up -- --stack prod",
            ],
            back: [
                "npm run down -- --stack prod",
                `docker run --rm --user 0:0 --volume data:/drive1 --entrypoint chown ${MINIO} -R 0:0 /drive1`,
                "docker start minio",
            ],
        });
    });

    test("are quoted for a shell", async () => {
        const mounts = [{ path: "/srv/my data", at: "/data" }];
        const { forth } = commandsFor(await adoptStore([container({ mounts })]), "prod");
        expect(forth[2]).toContain("--volume '/srv/my data:/drive1'");
    });

    test("leave files that have the right owner", async () => {
        const { forth, back } = commandsFor(await adoptStore([container({ user: "1000:1000" })]), "prod");
        expect([...forth, ...back].filter((command) => command.includes("chown"))).toEqual([]);
    });
});
