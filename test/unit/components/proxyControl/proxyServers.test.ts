import type { CommandResult, EngineNetwork, ListedContainer } from "../../../../components/docker/model";
import { LABELS } from "../../../../components/naming/labels";
import { ProxyServers, type ProxyEngine } from "../../../../components/proxyControl/proxyServers";
import { VirtualClock } from "../../fakes/virtualClock";

const PROCESSES = [
    "#<PID>          <type>          <reloads>       <uptime>        <version>",
    "1               master          1               0d00h01m        3.2.26",
    "# workers",
    "31              worker          0               0d00h00m        3.2.26",
    "# old workers",
    "9               worker          1               0d00h01m        3.2.26",
].join("\n");

const STATES = [
    "1",
    "# be_id be_name srv_id srv_name srv_addr srv_op_state",
    "3 s3 1 node1 10.0.0.1 2 0",
    "3 s3 2 node2 10.0.0.2 2 0",
    "7 other-s3 1 node1 10.0.1.1 2 0",
].join("\n");

const statistics = (running: number) =>
    [
        "# pxname,svname,scur,status",
        `s3,node1,${running},UP`,
        "s3,node2,0,DRAIN",
        "other-s3,node1,9,MAINT",
        "s3,BACKEND,1,UP",
    ].join("\n");

const ANSWER = [PROCESSES, STATES, statistics(2), STATES, statistics(5)].join("\0");

/** A proxy that answers each listing with the next of several answers, and repeats the last one. */
class VirtualProxy implements ProxyEngine {
    readonly sets: string[][] = [];
    running = true;
    /** Whether the engine of another host answers too: without it the proxies can't be listed. */
    whole = true;
    asked = 0;

    constructor(
        private readonly answers: (string | CommandResult)[],
        private readonly notes: string[] = [],
    ) {}

    containers(label: string): Promise<ListedContainer[]> {
        expect(label).toBe(LABELS.proxy);
        if (!this.whole) {
            return Promise.reject(new Error("connect ECONNREFUSED"));
        }
        const networks = ["own-nodes", "other-nodes"];
        const state = this.running ? "running" : "exited";
        const proxy = { name: "edge-proxy", id: "1", imageId: "sha256:1", labels: {}, networks, addresses: {}, state };
        return Promise.resolve([proxy, { ...proxy, name: "elsewhere", networks: ["third-nodes"] }]);
    }

    networks(): Promise<EngineNetwork[]> {
        return Promise.resolve(
            [
                ["own-nodes", "10.0.0.0/24"],
                ["other-nodes", "10.0.1.0/24"],
            ].map(([name = "", subnet = ""]) => ({
                name,
                subnet,
                gateway: "",
                internal: true,
                driver: "bridge",
                encrypted: false,
                labels: {},
            })),
        );
    }

    run(container: string, command: string[]): Promise<CommandResult> {
        expect(container).toBe("edge-proxy");
        if (command[0] === "ls") {
            return Promise.resolve({ code: 0, output: [...this.notes, "master.sock", "reload.lock"].join("\n") });
        }
        const args = command.slice(command.indexOf("-e") + 2);
        if (args.length > 0) {
            this.sets.push(args);
            return Promise.resolve({ code: 0, output: "" });
        }
        const answer = this.answers[Math.min(this.asked++, this.answers.length - 1)] ?? "";
        return Promise.resolve(typeof answer === "string" ? { code: 0, output: answer } : answer);
    }
}

const serversOf = (proxy: VirtualProxy, network = "own-nodes") =>
    new ProxyServers(proxy, network, { clock: new VirtualClock() });

test("the servers of a cluster are listed for every process, and those of another cluster are not", async () => {
    const servers = await serversOf(new VirtualProxy([ANSWER])).list();
    expect(
        servers.map(({ worker, current, server, status, running }) => [worker, current, server, status, running]),
    ).toEqual([
        ["31", true, "s3/node1", "UP", 2],
        ["31", true, "s3/node2", "DRAIN", 0],
        ["9", false, "s3/node1", "UP", 5],
        ["9", false, "s3/node2", "DRAIN", 0],
    ]);
});

test("a server has the status of its last check if the check doesn't expect that one", async () => {
    const checked = [
        "# pxname,svname,scur,status,check_status,check_code",
        "s3,node1,0,UP,L7OK,200",
        "s3,node2,0,DOWN,L7STS,404",
        "other-s3,node1,0,DOWN,L4CON,",
    ].join("\n");
    const servers = await serversOf(
        new VirtualProxy([[PROCESSES, STATES, checked, STATES, checked].join("\0")]),
    ).list();
    expect(servers.map(({ wrongStatus }) => wrongStatus)).toEqual([undefined, 404, undefined, 404]);
});

test("after the engine of another host was lost, nodes are returned to service, and none is drained", async () => {
    const proxy = new VirtualProxy([ANSWER]);
    const servers = serversOf(proxy);
    await servers.set(["10.0.0.10"], "drain");
    proxy.whole = false;
    await expect(servers.set(["10.0.0.11"], "drain")).rejects.toThrow("ECONNREFUSED");
    await servers.set(["10.0.0.10"], "ready");
    expect(proxy.sets).toEqual([
        ["drain", "10.0.0.10"],
        ["ready", "10.0.0.10"],
    ]);
});

test.each<[string, string | CommandResult]>([
    ["an empty answer", ""],
    ["a master without workers", PROCESSES.replace(/^.* worker .*$/gm, "")],
    ["a worker that answers nothing", [PROCESSES, "", "", STATES, statistics(5)].join("\0")],
    ["a worker that answers an error", [PROCESSES, "Can't find the target", "Can't find the target"].join("\0")],
    ["a command that fails", { code: 2, output: "no answer: Connection refused" }],
])("%s isn't a valid answer: the proxy is asked again", async (_, bad) => {
    const proxy = new VirtualProxy([bad, bad, ANSWER]);
    expect((await serversOf(proxy).list()).length).toBe(4);
    expect(proxy.asked).toBe(3);
});

test("a proxy that never answers is named after half a minute, with its output", async () => {
    const clock = new VirtualClock();
    const proxy = new VirtualProxy([{ code: 2, output: "no answer: Connection refused\n" }]);
    await expect(new ProxyServers(proxy, "own-nodes", { clock }).list()).rejects.toThrow(
        "edge-proxy doesn't report its servers, so their running requests are unknown: no answer: Connection refused. " +
            "See docker logs edge-proxy",
    );
    expect(clock.now()).toBeGreaterThanOrEqual(30_000);
    expect(clock.now()).toBeLessThan(31_000);
});

test("a proxy that stops meanwhile lists no servers", async () => {
    const proxy = new VirtualProxy([""]);
    const listed = serversOf(proxy).list();
    proxy.running = false;
    expect(await listed).toEqual([]);
});

test("a cluster only changes its own nodes, and only sees its own notes", async () => {
    const proxy = new VirtualProxy([ANSWER], ["taken-out-10.0.0.2", "taken-out-10.0.1.1", "taken-out-reads-10.0.0.1"]);
    const [own, other] = [serversOf(proxy), serversOf(proxy, "other-nodes")];
    expect([await own.cordoned(), await other.cordoned()]).toEqual([["10.0.0.2"], ["10.0.1.1"]]);
    expect([await own.cordoned("reads"), await other.cordoned("reads")]).toEqual([["10.0.0.1"], []]);
    await own.set(["10.0.0.1", "10.0.1.1"], "drain");
    await other.set(["10.0.1.1"], "ready");
    await own.set(["10.0.1.1"], "ready");
    expect(proxy.sets).toEqual([
        ["drain", "10.0.0.1"],
        ["ready", "10.0.1.1"],
    ]);
});

test("named nodes are listed, set and taken out by their names, and only they", async () => {
    const proxy = new VirtualProxy([ANSWER], ["taken-out-10.0.0.1", "taken-out-10.0.0.2"]);
    const nodes = [{ name: "store-node2", address: "10.0.0.2" }];
    const servers = new ProxyServers(proxy, "own-nodes", { nodes, clock: new VirtualClock() });
    expect(await servers.cordoned()).toEqual(["store-node2"]);
    expect([...new Set((await servers.list()).map(({ node, address }) => `${node} ${address}`))]).toEqual([
        "store-node2 10.0.0.2",
    ]);
    await servers.set(["store-node2", "store-node1"], "drain");
    expect(proxy.sets).toEqual([["drain", "10.0.0.2"]]);
});
