import { minioProfile, serviceProfile, type ServiceProfile } from "../../../../components";
import type { DeployedCluster } from "../../../../components/requirements/deployedCluster";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { rulingOn } from "../../../../components/requirements/driveRuling";
import type { EngineCache } from "../../../../components/requirements/engineCache";
import type { Clock } from "../../../../components/docker/poll";
import { layOut, type Pool } from "../../../../components/store/topology";

const SUBNET = "10.200.7.0/24";
const HOSTS = ["a", "b", "c", "d"];

/** A cluster of these pools, with its first nodes on these hosts in turn. */
function desiredFor(pools: Pool[], more: Partial<DesiredCluster> = {}): DesiredCluster {
    const { profile = minioProfile } = more;
    const placement = pools.map(({ nodeCount }) =>
        Array.from({ length: nodeCount }, (_, node) => HOSTS[node % 4] ?? ""),
    );
    const { nodes } = layOut({
        clusterName: "store",
        profileName: profile.name,
        pools,
        subnet: SUBNET,
        placement,
        labels: {},
    });
    return {
        clusterName: "store",
        stackName: "project/stack",
        componentName: "store",
        profile,
        pools,
        nodes,
        networkName: "store-nodes",
        subnet: SUBNET,
        networkKind: "encrypted overlay",
        secrets: {},
        allowedChanges: [],
        namesPools: false,
        ...more,
    };
}

/** What is deployed of a cluster. `gone`: names of nodes of which nothing is left. */
function deployedAs({ nodes }: DesiredCluster, ...gone: string[]): DeployedCluster {
    const here = nodes.filter(({ serverName }) => !gone.includes(serverName));
    return {
        nodes: here.map(({ name }) => ({
            name,
            container: { name, id: name, state: "running", imageId: "", labels: {}, networks: [], addresses: {} },
            imageNames: [],
            unread: false,
            secrets: {},
            runningSecrets: {},
        })),
        drives: here.flatMap(({ host, drives }) =>
            drives.map(({ volumeName: volume, labels, hostPath }) => ({ volume, labels, hostPath, host })),
        ),
        formerDrives: [],
        otherDrives: [],
        volumesInState: [],
        otherVolumes: [],
        imageId: undefined,
        subnet: SUBNET,
        formed: true,
    };
}

interface Engines {
    /** The drives that the store lists, each answer once; the last one again and again. */
    answers?: object[][];
    /** Folders of hosts that have a store's data, as `b:/mnt/d1`. */
    whole?: string[];
    /** Names of hosts that are away. */
    away?: string[];
}

/** Snapshot of the engines of all hosts; and the containers that were asked. */
function enginesOf({ answers = [[]], whole = [], away = [] }: Engines) {
    const asked: string[] = [];
    const counts = new Map<string, number>();
    const engineOn = (host: string) => ({
        local: false,
        run: (container: string) => {
            asked.push(container);
            const count = counts.get(container) ?? 0;
            counts.set(container, count + 1);
            const disks = answers[Math.min(count, answers.length - 1)];
            return Promise.resolve({ code: 0, output: `${JSON.stringify({ sets: [{ disks }] })}\n=== 200 0\n` });
        },
        containersWith: (volume: string) => Promise.resolve([{ container: volume, folder: "/data/drive1" }]),
        readFile: (_container: string, path: string) =>
            Promise.resolve(path.endsWith("format.json") ? "{}" : undefined),
        hasFile: (container: string, path: string) => {
            const mounted = container.split(",")[Number(/^\/drives\/(\d+)/.exec(path)?.[1]) - 1] ?? "";
            return Promise.resolve(whole.includes(`${host}:${mounted}`));
        },
        oneShots: {
            lookInto: (
                _owner: string,
                volumes: { [path: string]: string },
                look: (container: string) => Promise<unknown>,
            ) => look(Object.values(volumes).join()),
        },
    });
    const hosts = new Map(
        HOSTS.filter((host) => !away.includes(host)).map((host) => [
            host,
            { engine: () => Promise.resolve(engineOn(host)) },
        ]),
    );
    return { snapshot: { hosts, away, names: HOSTS } as unknown as EngineCache, asked };
}

const clock = (): Clock & { slept: number } => {
    const made = {
        slept: 0,
        now: () => made.slept,
        sleep: (time: number) => Promise.resolve(void (made.slept += time)),
    };
    return made;
};

const listed = (...states: (string | object)[]) =>
    states.map((state, index) => ({
        endpoint: `http://store-pool1-node${index + 1}:9000/data/drive1`,
        ...(typeof state === "string" ? { state } : state),
    }));

const FOUR = { nodeCount: 4 };
const healing = { state: "ok", healing: true, heal_info: { started: "10:00" } };
const allowing = (...allowedChanges: string[]) => desiredFor([FOUR], { allowedChanges });

const rule = (desired: DesiredCluster, gone: string[], engines: Engines, time = clock()) => {
    const { snapshot, asked } = enginesOf(engines);
    return rulingOn(snapshot, deployedAs(desired, ...gone), desired, time).then((ruling) => ({ ...ruling, asked }));
};
const reasons = ({ problems }: { problems: { reason: string }[] }) => problems.map(({ reason }) => reason).join("\n");

describe("the drives of a cluster over hosts", () => {
    test("nobody is asked while all drives are there", async () => {
        const ruling = await rule(desiredFor([FOUR]), [], {});
        expect(ruling).toEqual({ problems: [], needed: [], emptied: [], isComplete: true, asked: [] });
    });

    test("a host that lost everything may begin empty once all other nodes have said twice that the others are healed", async () => {
        const time = clock();
        const ruling = await rule(
            allowing("emptyDrives:b"),
            ["node2"],
            { answers: [listed("ok", "offline", "ok", "ok")] },
            time,
        );
        expect(reasons(ruling)).toBe("");
        expect(ruling.needed).toEqual(["emptyDrives:b"]);
        expect([...new Set(ruling.asked)].sort()).toEqual([1, 3, 4].map((node) => `store-pool1-node${node}`));
        expect(ruling.asked).toHaveLength(6);
        expect(time.slept).toBe(12_000);
    });

    test("not while the drive of another is being healed", async () => {
        const ruling = await rule(allowing("emptyDrives:b"), ["node2"], {
            answers: [listed(healing, "offline", "ok", "ok")],
        });
        expect(reasons(ruling)).toMatch(
            /^node2 drive 1 can't be emptied now, .*: node1 drive 1 is being healed since 10:00/,
        );
    });

    test("not in the first seconds, when a new drive isn't being healed yet", async () => {
        const answers = [listed("offline", "offline", "ok", "ok"), listed(healing, "offline", "ok", "ok")];
        expect(reasons(await rule(allowing("emptyDrives:b"), ["node2"], { answers }))).toMatch(/being healed/);
        const soon = [listed("ok", "offline", "ok", "ok"), listed(healing, "offline", "ok", "ok")];
        expect(reasons(await rule(allowing("emptyDrives:b"), ["node2"], { answers: soon }))).toMatch(/being healed/);
    });

    test("not while the other nodes see its former drive: that host still runs", async () => {
        const ruling = await rule(allowing("emptyDrives:b"), ["node2"], { answers: [listed("ok", "ok", "ok", "ok")] });
        expect(reasons(ruling)).toMatch(/node2 drive 1 in use: is host "b" still there/);
    });

    test("one of a node with several, which was stopped for it, once those of the others are healed", async () => {
        const desired = desiredFor([{ nodeCount: 4, drivesPerNode: 2 }], { allowedChanges: ["emptyDrives:b"] });
        const all = (drive: number, ...states: (string | object)[]) =>
            listed(...states).map((one) => ({ ...one, endpoint: one.endpoint.replace("drive1", `drive${drive}`) }));
        const { nodes, drives, ...others } = deployedAs(desired);
        const deployed = {
            ...others,
            nodes: nodes.filter(({ name }) => name !== "store-pool1-node2"),
            drives: drives.filter(({ volume }) => volume !== "store-pool1-node2-drive1"),
        };
        const rulingFor = (first: string | object) => {
            const disks = [...all(1, first, "offline", "ok", "ok"), ...all(2, "ok", "offline", "ok", "ok")];
            return rulingOn(enginesOf({ answers: [disks] }).snapshot, deployed, desired, clock());
        };
        const ruling = await rulingFor("ok");
        expect(reasons(ruling)).toBe("");
        expect(ruling.emptied.map(({ name }) => name)).toEqual(["node2 drive 1"]);
        expect(reasons(await rulingFor(healing))).toMatch(/: node1 drive 1 is being healed since 10:00\. Wait/);
    });

    test("one of the only node, which was stopped for it, if a word says that the others need not be healed", async () => {
        const ruling = async (...allowedChanges: string[]) => {
            const desired = desiredFor([{ nodeCount: 1, drivesPerNode: 4 }], { allowedChanges });
            const { nodes, drives, ...others } = deployedAs(desired);
            expect(nodes).toHaveLength(1);
            const kept = drives.filter(({ volume }) => volume !== "store-pool1-node1-drive1");
            return rulingOn(enginesOf({}).snapshot, { ...others, nodes: [], drives: kept }, desired, clock());
        };
        expect(reasons(await ruling("emptyDrives:a"))).toMatch(/no other node runs .* add "unhealedDrives:a"/);
        expect(reasons(await ruling("emptyDrives:a", "unhealedDrives:a"))).toBe("");
    });

    test("three of four never", async () => {
        const words = ["a", "b", "c", "d"].flatMap((host) => [`emptyDrives:${host}`, `unhealedDrives:${host}`]);
        const gone = ["node1", "node2", "node3"];
        expect(
            reasons(await rule(allowing(...words), gone, { answers: [listed("offline", "offline", "offline", "ok")] })),
        ).toMatch(
            /node1 drive 1, node2 drive 1, node3 drive 1 would be empty\. .* no value of allowedChanges allows that/,
        );
    });

    test("a store that works with less parity than its default bears less", async () => {
        const desired = { ...allowing("emptyDrives:a", "emptyDrives:b"), parity: 1 };
        const answers = [listed("offline", "offline", "ok", "ok")];
        expect(reasons(await rule(desired, ["node1", "node2"], { answers }))).toMatch(
            /can lose 1, so objects would be lost/,
        );
        const usual = allowing("emptyDrives:a", "emptyDrives:b");
        expect(reasons(await rule(usual, ["node1", "node2"], { answers }))).toBe("");
    });

    test("a profile that can't be asked needs a word for each of the others", async () => {
        const profile: ServiceProfile = serviceProfile;
        const desired = desiredFor([FOUR], { profile, allowedChanges: ["emptyDrives:b", "unhealedDrives:a"] });
        expect(reasons(await rule(desired, ["node2"], {}))).toMatch(
            /node3 drive 1 isn't known to be healed \(the profile service has no requests for that\).* add "unhealedDrives:c", "unhealedDrives:d"/,
        );
    });

    test("the drives of a host that is away stay as they are", async () => {
        const ruling = await rule(desiredFor([FOUR]), ["node3"], { away: ["c"] });
        expect(ruling.problems).toEqual([]);
    });

    test("a new pool has nothing to lose", async () => {
        const grown = desiredFor([FOUR, FOUR]);
        const { snapshot } = enginesOf({});
        expect((await rulingOn(snapshot, deployedAs(desiredFor([FOUR])), grown, clock())).problems).toEqual([]);
    });

    test("a pool that gets another layout is left to the check of pools", async () => {
        const { snapshot } = enginesOf({});
        const wider = desiredFor([{ nodeCount: 8 }]);
        expect((await rulingOn(snapshot, deployedAs(desiredFor([FOUR])), wider, clock())).problems).toEqual([]);
    });
});

describe("folders of other machines", () => {
    const paths = { nodeCount: 4, drivePaths: HOSTS.map(() => ["/mnt/d1"]) };
    const all = HOSTS.map((host) => `${host}:/mnt/d1`);

    test("with their data are no obstacle", async () => {
        expect((await rule(desiredFor([paths]), [], { whole: all })).problems).toEqual([]);
    });

    test("without it are refused: the disk isn't mounted", async () => {
        const whole = all.filter((folder) => folder !== "c:/mnt/d1");
        const ruling = await rule(desiredFor([paths]), [], { whole, answers: [listed("ok", "ok", "offline", "ok")] });
        expect(ruling.problems).toEqual([
            {
                propertyPath: "drivePaths[2][0]",
                reason: expect.stringMatching(
                    /^host c: "\/mnt\/d1" has none of the data of store-pool1-node3-drive1: is the disk mounted there\? Mount it, or, .* add "emptyDrives:c"/,
                ) as string,
            },
        ]);
    });

    test("all of them are new: nothing was ever there", async () => {
        expect((await rule(desiredFor([paths]), ["node1", "node2", "node3", "node4"], {})).problems).toEqual([]);
    });

    test("a disk that was moved to a new machine with its data isn't empty", async () => {
        expect((await rule(desiredFor([paths]), ["node2"], { whole: all })).problems).toEqual([]);
    });
});
