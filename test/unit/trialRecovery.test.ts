import { TrialContainers, type TrialClient } from "../../components/engine/trialContainers";
import { recoverTakeOver, removeTrials } from "../../components/engine/trialRecovery";
import { LABELS } from "../../components/naming/labels";
import { hiddenFromFormer } from "../../components/store/profiles/takeOvers";

interface Container {
    id: string;
    name: string;
    running: boolean;
    labels: { [label: string]: string };
    user: string;
}

/** An engine that has what an update with a take-over has left. */
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
                              Image: "sha256:1",
                              State: { Running: found.running, ExitCode: 0 },
                              Config: { User: found.user, Labels: found.labels },
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
        [LABELS.inputs]: "new",
        [LABELS.stack]: "project/stack",
        [LABELS.profile]: "rustfs",
    },
    ...more,
});

const own = (running: boolean, inputs = "old"): Container => ({
    id: "own",
    name: "node",
    running,
    user: "1000:1000",
    labels: { [LABELS.cluster]: "store", [LABELS.inputs]: inputs },
});

/** What was done for each cluster, joined by a comma; for none, nothing. */
const recover = async (engine: VirtualEngine, desired?: string, stack = "project/stack", engines = [engine.trials]) =>
    (await recoverTakeOver(engines, { stack }, desired, hiddenFromFormer)).sort().join() || "nothing";

describe("a take-over that was killed", () => {
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
            'create node-trial-files as 0:0: OWNER=1000:1000 ["drive:/drives/1","secrets:/files"]',
            "start node-trial-files",
            "remove node-trial-files",
            "start node",
            "remove node-trial",
        ]);
    });

    test("an engine that is named once for each of its nodes is recovered once", async () => {
        const engine = new VirtualEngine([own(false), trial()]);
        const engines = [engine.trials, engine.trials];
        expect(await recover(engine, undefined, undefined, engines)).toBe("started");
        expect(engine.done.filter((event) => event === "start node")).toHaveLength(1);
    });

    test("before the former store was stopped: it goes on", async () => {
        const engine = new VirtualEngine([own(true), trial({ running: false })]);
        expect(await recover(engine)).toBe("started");
        expect(engine.done).toEqual(["stop node-trial 0", "remove node-trial"]);
    });

    test.each([
        ["the new store had everything", [own(false), trial({ name: "node-trial-passed" })]],
        ["a node was replaced", [own(true, "new"), trial({ name: "node-trial-passed" })]],
        ["the new store had everything, and the node was removed", [trial({ name: "node-trial-passed" })]],
    ])(
        "after %s: the former one isn't started, and the trial stays until the update removes it",
        async (_, containers) => {
            const engine = new VirtualEngine(containers);
            expect(await recover(engine, "rustfs")).toBe("passed");
            expect(engine.done.filter((event) => /^(start|create|remove)/.test(event))).toEqual([]);
            // Another update that is killed changes nothing about that.
            expect(await recover(engine, "rustfs")).toBe("passed");
        },
    );

    test("after the new store had everything, it depends on the update: the former one is started if that is desired", async () => {
        const engine = new VirtualEngine([own(false), trial({ name: "node-trial-passed" })]);
        expect(await recover(engine)).toBe("passed");
        expect(engine.done).toEqual(["stop node-trial-passed 0"]);
        expect(await recover(engine, "minio")).toBe("started");
        const after = engine.done.slice(engine.done.lastIndexOf("rename node-trial-passed node-trial"));
        expect(after).toEqual(expect.arrayContaining(["start node", "remove node-trial"]));
    });

    test("once the former store runs again it may have new users: the new one is tried once more, also if the recovery was killed", async () => {
        const engine = new VirtualEngine([own(false), trial({ name: "node-trial-passed" })]);
        engine.dies = (event) => event === "start node";
        await expect(recover(engine, "minio")).rejects.toThrow("killed");
        engine.dies = () => false;
        expect(await recover(engine, "rustfs")).toBe("started");
    });

    test("after a node was replaced, an update to the former store: the trial stays until that has ended, without the record", async () => {
        const engine = new VirtualEngine([own(true, "new"), trial({ name: "node-trial-passed" })]);
        expect(await recover(engine, "minio")).toBe("turnedBack");
        expect(engine.done).toEqual(["stop node-trial-passed 0", "rename node-trial-passed node-trial"]);
        // It was killed: whichever store is desired, the next one learns of it.
        expect(await recover(engine, "rustfs")).toBe("turnedBack");
        expect(await recover(engine, "minio")).toBe("turnedBack");
    });

    test("a record of some nodes alone is none: the update was killed while it was made, or while it was withdrawn", async () => {
        const engine = new VirtualEngine([
            own(false),
            trial({ name: "node-trial-passed" }),
            { ...own(false), id: "node2", name: "node2" },
            trial({ id: "trial2", name: "node2-trial", labels: { ...trial().labels, [LABELS.trialNode]: "node2" } }),
        ]);
        expect(await recover(engine, "rustfs")).toBe("started");
        expect(engine.done).toEqual(expect.arrayContaining(["start node", "start node2"]));
    });

    test("each cluster of a stack is settled for itself", async () => {
        const other = { ...trial().labels, [LABELS.trial]: "other", [LABELS.trialNode]: "far" };
        const engine = new VirtualEngine([
            own(false),
            trial({ name: "node-trial-passed" }),
            { ...own(false), id: "far", name: "far" },
            trial({ id: "far-trial", name: "far-trial", labels: other }),
        ]);
        expect(await recover(engine)).toBe("passed,started");
        expect(engine.done).toEqual(expect.arrayContaining(["start far", "remove far-trial"]));
        expect(engine.done.filter((event) => /^(start|remove|rename) node/.test(event))).toEqual([]);
        expect(await recover(engine)).toBe("passed");
    });

    test("if the former store's container is gone, the trial stays until the former store is desired", async () => {
        const engine = new VirtualEngine([trial()]);
        expect(await recover(engine, "rustfs")).toBe("lost");
        expect(await recover(engine)).toBe("lost");
        expect(engine.done.join()).not.toContain("remove");
        expect(await recover(engine, "minio")).toBe("nothing");
        expect(engine.done.at(-1)).toBe("remove node-trial");
    });

    test("before the stack is removed, its trial containers are removed, each once", async () => {
        const engine = new VirtualEngine([own(false), trial({ name: "node-trial-passed" })]);
        await removeTrials([engine.trials, engine.trials], { stack: "project/stack" });
        expect(engine.done).toEqual(["remove node-trial-passed"]);
    });

    test("before the stack is removed, so is what handed files over when the update was killed", async () => {
        const labels = { [LABELS.cluster]: "store", [LABELS.inputs]: "old", [LABELS.stack]: "project/stack" };
        const engine = new VirtualEngine([{ ...own(false), labels }, trial()]);
        engine.dies = (event) => event === "start node-trial-files";
        engine.survives = "node-trial-files";
        await expect(recover(engine)).rejects.toThrow("killed");
        await removeTrials([engine.trials], { stack: "project/stack" });
        expect(engine.done.slice(-2).sort()).toEqual(["remove node-trial", "remove node-trial-files"]);
    });

    test("another stack's is left alone", async () => {
        const engine = new VirtualEngine([own(false), trial()]);
        expect(await recover(engine, undefined, "project/other")).toBe("nothing");
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
        name: "node-give",
        image: "image",
        user: "10001:10001",
        drives: ["drive"],
        secrets: "secrets",
        cleared: [],
        hidden: [],
    };
    await expect(new TrialContainers(client).give("store", files)).rejects.toThrow("ECONNREFUSED");
    expect(steps).toEqual(["remove", "remove"]);
});
