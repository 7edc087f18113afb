import type { EngineSwarm } from "../../../../components/docker/swarm";
import type { StoreHost } from "../../../../components/args/hostArgs";
import { configuredHosts } from "../../../../tools/stack/configuredHosts";
import { hostTable } from "../../../../tools/hosts/hostTable";
import { membershipPlan } from "../../../../tools/hosts/membershipPlan";
import { hostEngine } from "../../../../tools/stack/hostConnection";
import { carryOut, planOnceQuiet, readSwarms } from "../../../../tools/hosts/swarmMembership";
import { changed, hostsNamed, nodesOf, OUTSIDE, swarmsOf } from "../../fakes/mockSwarm";
import { VirtualClock } from "../../fakes/virtualClock";
import { answeringAs, TOKENS, VirtualSwarm } from "../../fakes/virtualSwarm";

describe("carried out", () => {
    const dependencies = (swarm: VirtualSwarm, lines: string[]) => ({
        engine: swarm.engine,
        print: (line: string) => lines.push(line),
        clock: new VirtualClock(),
    });

    async function join(swarm: VirtualSwarm, names: string, lines: string[] = []): Promise<string[]> {
        await carryOut(await planOnceQuiet(hostsNamed(names), dependencies(swarm, lines)), dependencies(swarm, lines));
        return lines;
    }

    test("a plan makes a swarm, and prints each step without a token", async () => {
        const swarm = new VirtualSwarm();
        const lines = await join(swarm, "abcd");
        expect(lines).toEqual([
            "a: initialises the swarm, at 10.0.0.1",
            "a: gets the label object-store.host=a",
            "b: joins the swarm as manager, at 10.0.0.2",
            "b: gets the label object-store.host=b",
            "c: joins the swarm as manager, at 10.0.0.3",
            "c: gets the label object-store.host=c",
            "d: joins the swarm as worker, at 10.0.0.4",
            "d: gets the label object-store.host=d",
        ]);
        expect(swarm.changes.filter((change) => !change.startsWith("node-"))).toEqual([
            "a manager 10.0.0.1 10.0.0.1:2377 10.0.0.1",
            "b manager 10.0.0.2 10.0.0.2:2377 10.0.0.2 by 10.0.0.1:2377",
            "c manager 10.0.0.3 10.0.0.3:2377 10.0.0.3 by 10.0.0.1:2377 10.0.0.2:2377",
            "d worker 10.0.0.4 10.0.0.4:2377 10.0.0.4 by 10.0.0.1:2377 10.0.0.2:2377 10.0.0.3:2377",
        ]);
        expect(swarm.changes).toContain('node-d worker active {"rack":"1","object-store.host":"d"}');
        expect(hostTable(hostsNamed("abcd"), await readSwarms(hostsNamed("abcd"), swarm.engine))).toEqual([
            "HOST  ADDRESS   ROLE     STATE",
            "a     10.0.0.1  manager  ready",
            "b     10.0.0.2  manager  ready",
            "c     10.0.0.3  manager  ready",
            "d     10.0.0.4  worker   ready",
        ]);
        expect(await join(swarm, "abcd")).toEqual([]);
    });

    test("a plan promotes members, and keeps their labels and availability", async () => {
        const swarm = new VirtualSwarm();
        await join(swarm, "ab");
        const lines = await join(swarm, "abc");
        expect(lines.at(-1)).toBe("b: becomes a manager");
        expect(swarm.changes.at(-1)).toBe('node-b manager active {"rack":"1","object-store.host":"b"}');
    });

    test("a plan waits until a new manager is reached, and repeats what the managers' own changes prevented", async () => {
        const swarm = new VirtualSwarm();
        await join(swarm, "a");
        Object.assign(swarm, { delay: 5, overtaken: 2 });
        await join(swarm, "ab");
        expect(swarm.changes.at(-1)).toContain('"object-store.host":"b"');
    });

    test.each([
        [
            `invalid join token ${TOKENS.Manager}`,
            /^"b" joins .*: that failed: invalid join token \[token\]; TCP 2377, .* run the command again$/,
        ],
        [
            "listen tcp: bind: cannot assign requested address",
            /; "10\.0\.0\.2" is not an address of that host: set its address/,
        ],
    ])("a failed step ends it with a reason, and the next run has the rest: %s", async (message, reason) => {
        const swarm = new VirtualSwarm();
        swarm.refusals.set("b", message);
        await expect(join(swarm, "abc")).rejects.toThrow(reason);
        swarm.refusals.clear();
        expect((await join(swarm, "abc"))[0]).toBe("b: joins the swarm as manager, at 10.0.0.2");
    });

    test("a plan isn't made while problems may pass: a host that has just left is still listed", async () => {
        const hosts = hostsNamed("abc");
        const listed = nodesOf("ABc");
        const reads = [0, 1, 2].map((round) =>
            swarmsOf(hosts, changed(listed, { c: { id: "old", status: round < 2 ? "ready" : "down" } })),
        );
        const lines: string[] = [];
        let round = 0;
        const engine = (host: StoreHost) => {
            const swarm = reads[Math.floor(round++ / hosts.length)]?.get(host.name) as EngineSwarm;
            return Promise.resolve(answeringAs(swarm));
        };
        const clock = new VirtualClock();
        const plan = await planOnceQuiet(hosts, { engine, print: (line) => lines.push(line), clock });
        expect(plan.steps).toMatchObject([{ kind: "join", host: { name: "c" }, role: "manager" }, { kind: "label" }]);
        expect(lines).toEqual([
            expect.stringMatching(/^waiting, since this may pass:\n {2}- hosts\[2\]: "c" has another node/),
        ]);
        expect(clock.now()).toBe(2000);
    });

    test("a plan is refused after a minute of such problems", async () => {
        const hosts = hostsNamed("ab");
        const swarms = swarmsOf(hosts, changed(nodesOf("Ab"), { b: { status: "down" } }));
        const engine = ({ name }: StoreHost) => Promise.resolve(answeringAs(swarms.get(name) as EngineSwarm));
        const clock = new VirtualClock();
        const plan = await planOnceQuiet(hosts, { engine, print: () => undefined, clock });
        expect(plan).toMatchObject({ steps: [], problems: [{ propertyPath: "hosts[1]" }] });
        expect(clock.now()).toBe(60_000);
    });

    test("two hosts with one engine are noticed at the second one", async () => {
        const swarm = new VirtualSwarm();
        const engine = ({ name, ...host }: { name: string; dockerHost: string; address: string }) =>
            swarm.engine({ ...host, name: name === "b" ? "a" : name });
        const plan = membershipPlan(hostsNamed("ab"), await readSwarms(hostsNamed("ab"), engine));
        await expect(carryOut(plan, { ...dependencies(swarm, []), engine })).rejects.toThrow(
            "its Docker daemon is active already, as node node-a: give each host a Docker daemon of its own",
        );
    });
});

test("an engine that can't be reached is an error with advice, and none of the others", async () => {
    const [a, b] = hostsNamed("ab");
    const swarm = new VirtualSwarm();
    const missing = "unix:///no/such.sock";
    const found = await readSwarms(
        [a, b].flatMap((host) => host ?? []),
        (host) => (host.name === "b" ? hostEngine({ ...host, dockerHost: missing }) : swarm.engine(host)),
    );
    expect(found.get("a")).toEqual(OUTSIDE);
    expect((found.get("b") as Error).message).toMatch(
        /^Docker doesn't answer at unix:\/\/\/no\/such\.sock .*, or correct the dockerHost of host b$/,
    );
});

describe("the hosts in stack config", () => {
    const valid = JSON.stringify(hostsNamed("ab"));

    test("are read from JSON", () => {
        expect(configuredHosts(valid, "dev")).toEqual(hostsNamed("ab"));
    });

    test.each([
        [undefined, /^the stack dev has one host, since its config key hosts isn't set/],
        ["a, b", /^the config of stack dev is refused:\n {2}- hosts: "a, b" is not a list/],
        ['[{"name": "a"}]', /hosts\[0\]\.dockerHost: is missing.*\n.*hosts\[0\]\.address: is missing/],
        [valid.replace("10.0.0.2", "10.0.0.1"), /hosts\[1\]\.address: "10\.0\.0\.1" is that of hosts\[0\] too/],
    ])("are refused: %s", (text, message) => {
        expect(() => configuredHosts(text, "dev")).toThrow(message);
    });
});
