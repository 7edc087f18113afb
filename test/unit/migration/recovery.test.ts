import { TrialContainers, type TrialClient } from "../../../migration/trialContainers";
import { recoverMigration, removeTrials } from "../../../migration/recovery";
import { LABELS } from "../../../components/naming/labels";
import { hiddenFromFormer } from "../../../migration/supported";

interface Container {
    id: string;
    name: string;
    running: boolean;
    labels: { [label: string]: string };
    user: string;
}

/** An engine that has what a migration has left. */
class VirtualEngine {
    readonly done: string[] = [];
    /** At which event this process is killed. */
    dies: (event: string) => boolean = () => false;
    /** A container that a killed process doesn't remove. */
    survives = "";
    constructor(private containers: Container[]) {}

    get trials(): TrialContainers {
        return new TrialContainers(this.client());
    }

    private client(): TrialClient {
        const containerOf = (key: string) => this.containers.find(({ id, name }) => id === key || name === key);
        return {
            listContainers: ({ filters: { label } }) => {
                const has = (labels: Container["labels"], wanted: string) => {
                    const [name = "", value] = wanted.split("=");
                    return name in labels && (value === undefined || labels[name] === value);
                };
                return Promise.resolve(
                    this.containers
                        .filter(({ labels }) => label.every((one) => has(labels, one)))
                        .map(({ id, name, labels }) => ({ Id: id, Names: [`/${name}`], Labels: labels })),
                );
            },
            createVolume: () => Promise.resolve(),
            listVolumes: () => Promise.resolve({ Volumes: [{ Name: "node-trial-files" }] }),
            getVolume: (name) => ({ remove: () => Promise.resolve(this.done.push(`remove volume ${name}`)) }),
            createContainer: ({ name, User, Env, HostConfig, Labels = {} }) => {
                this.done.push(
                    `create ${name} as ${User}: ${Env?.[0]} ${JSON.stringify((HostConfig as { Binds?: string[] }).Binds)}`,
                );
                this.containers.push({ id: name, name, running: false, labels: Labels, user: "" });
                return Promise.resolve(this.client().getContainer(name));
            },
            getContainer: (key) => ({
                id: key,
                start: () => {
                    const event = `start ${containerOf(key)?.name}`;
                    this.done.push(event);
                    return this.dies(event) ? Promise.reject(new Error("killed")) : Promise.resolve();
                },
                stop: ({ t }) => Promise.resolve(this.done.push(`stop ${containerOf(key)?.name} ${t}`)),
                logs: () => Promise.resolve(Buffer.alloc(0)),
                putArchive: () => Promise.resolve(),
                rename: ({ name }) => {
                    const found = containerOf(key);
                    if (found === undefined) {
                        return Promise.reject(Object.assign(new Error("no such container"), { statusCode: 404 }));
                    }
                    this.done.push(`rename ${found.name} ${name}`);
                    found.name = name;
                    return Promise.resolve();
                },
                remove: () => {
                    const found = containerOf(key);
                    if (found !== undefined && found.name === this.survives) {
                        this.survives = "";
                        return Promise.resolve();
                    }
                    this.done.push(`remove ${found?.name}`);
                    this.containers = this.containers.filter((one) => one !== found);
                    return Promise.resolve();
                },
                inspect: () => {
                    const found = containerOf(key);
                    return found === undefined
                        ? Promise.reject(Object.assign(new Error("no such container"), { statusCode: 404 }))
                        : Promise.resolve({
                              Id: found.id,
                              Name: `/${found.name}`,
                              Image: "sha256:1",
                              State: { Running: found.running, Status: "", ExitCode: 0 },
                              Config: { User: found.user, Env: [], Labels: found.labels },
                              HostConfig: {},
                              NetworkSettings: { Networks: {} },
                              Mounts: [
                                  { Name: "drive", Source: "/var/x", Destination: "/data/drive1" },
                                  { Name: "secrets", Source: "/var/y", Destination: "/run/store" },
                              ],
                          });
                },
            }),
        };
    }
}

const trial = (more: Partial<Container> = {}): Container => ({
    id: "trial",
    name: "node-trial",
    running: true,
    user: "10001:10001",
    labels: {
        [LABELS.trial]: "store",
        [LABELS.trialNode]: "node",
        [LABELS.profile]: "rustfs",
    },
    ...more,
});

const own = (running: boolean): Container => ({
    id: "own",
    name: "node",
    running,
    user: "1000:1000",
    labels: { [LABELS.cluster]: "store" },
});

/** Goes on to the store that was tried, or returns to the former one. */
const recover = (engine: VirtualEngine, goesOn = true, engines = [engine.trials]) =>
    recoverMigration(engines, "store", goesOn, hiddenFromFormer);

describe("a migration that was killed", () => {
    test("without trial containers nothing is done", async () => {
        const engine = new VirtualEngine([own(false)]);
        expect(await recover(engine)).toBe("nothing");
        expect(engine.done).toEqual([]);
    });

    test("what only served drives is removed, and nothing is started", async () => {
        const labels = { [LABELS.trial]: "store", [LABELS.stack]: "project/stack" };
        const engine = new VirtualEngine([own(true), trial({ name: "node-trial-drives", labels })]);
        expect(await recover(engine)).toBe("nothing");
        expect(engine.done).toEqual(["stop node-trial-drives 0", "remove node-trial-drives"]);
    });

    test("before the new store had everything: the former one is started with its files; the trial is removed last", async () => {
        const engine = new VirtualEngine([own(false), trial()]);
        expect(await recover(engine)).toBe("started");
        expect(engine.done).toEqual([
            "stop node-trial 0",
            "remove undefined",
            'create node-trial-owner as 0:0: OWNER=1000:1000 ["drive:/drives/1"]',
            "start node-trial-owner",
            "remove node-trial-owner",
            "start node",
            "remove node-trial",
        ]);
    });

    test("an engine that is named once for each of its nodes is recovered once", async () => {
        const engine = new VirtualEngine([own(false), trial()]);
        const engines = [engine.trials, engine.trials];
        expect(await recover(engine, true, engines)).toBe("started");
        expect(engine.done.filter((event) => event === "start node")).toHaveLength(1);
    });

    test("before the former store was stopped: it goes on", async () => {
        const engine = new VirtualEngine([own(true), trial({ running: false })]);
        expect(await recover(engine)).toBe("started");
        expect(engine.done).toEqual(["stop node-trial 0", "remove node-trial"]);
    });

    test.each([
        ["the new store had everything", [own(false), trial({ name: "node-trial-passed" })]],
        ["the new store had everything, and the node was removed", [trial({ name: "node-trial-passed" })]],
    ])(
        "after %s: the former one isn't started, and the trial stays until the update removes it",
        async (_, containers) => {
            const engine = new VirtualEngine(containers);
            expect(await recover(engine)).toBe("passed");
            expect(engine.done.filter((event) => /^(start|create|remove)/.test(event))).toEqual([]);
            // Another update that is killed changes nothing about that.
            expect(await recover(engine)).toBe("passed");
        },
    );

    test("once the former store runs again it may have new users: the new one is tried once more, also if the recovery was killed", async () => {
        const engine = new VirtualEngine([own(false), trial({ name: "node-trial-passed" })]);
        engine.dies = (event) => event === "start node";
        await expect(recover(engine, false)).rejects.toThrow("killed");
        engine.dies = () => false;
        expect(await recover(engine)).toBe("started");
    });

    test("a record of some nodes alone is none: the update was killed while it was made, or while it was withdrawn", async () => {
        const engine = new VirtualEngine([
            own(false),
            trial({ name: "node-trial-passed" }),
            { ...own(false), id: "node2", name: "node2" },
            trial({ id: "trial2", name: "node2-trial", labels: { ...trial().labels, [LABELS.trialNode]: "node2" } }),
        ]);
        expect(await recover(engine)).toBe("started");
        expect(engine.done).toEqual(expect.arrayContaining(["start node", "start node2"]));
    });

    test("if the former store's container is gone, the trial stays", async () => {
        const engine = new VirtualEngine([trial()]);
        expect(await recover(engine)).toBe("lost");
        expect(await recover(engine, false)).toBe("lost");
        expect(engine.done.join()).not.toContain("remove");
    });

    test("in the end, the trial containers are removed, each once, and their files", async () => {
        const engine = new VirtualEngine([own(false), trial({ name: "node-trial-passed" })]);
        await removeTrials([engine.trials], "store");
        expect(engine.done).toEqual(["remove node-trial-passed", "remove volume node-trial-files"]);
    });

    test("another cluster's is left alone", async () => {
        const engine = new VirtualEngine([own(false), trial()]);
        expect(await recoverMigration([engine.trials], "other", true, hiddenFromFormer)).toBe("nothing");
        expect(engine.done).toEqual([]);
    });
});

test("an engine that is restarted while files are given away is an error, not a wait without end", async () => {
    const steps: string[] = [];
    const states = [
        () => Promise.resolve({ State: { Running: true, ExitCode: 0 } }),
        () => Promise.reject(new Error("connect ECONNREFUSED")),
    ];
    const container = {
        id: "given",
        start: () => Promise.resolve(),
        inspect: () => states.shift()?.(),
        remove: () => Promise.resolve(steps.push("remove")),
    };
    const client = {
        createContainer: () => Promise.resolve(container),
        getContainer: () => container,
    } as unknown as TrialClient;
    const files = {
        node: "node",
        image: "image",
        user: "10001:10001",
        drives: ["drive"],
        cleared: [],
        hidden: [],
    };
    await expect(new TrialContainers(client).change("store", files)).rejects.toThrow("ECONNREFUSED");
    expect(steps).toEqual(["remove", "remove"]);
});
