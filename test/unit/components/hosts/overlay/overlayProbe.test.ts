import { VirtualOverlay, type Packet } from "../../../fakes/virtualOverlay";

const ABC = ["a", "b", "c"];

/** The lines of a message that say who doesn't hear whom. */
function findingsOf(message: string | undefined): string[] {
    return (message ?? "").split("\n").flatMap((line) => (line.startsWith("    ") ? [line.trim()] : []));
}

describe("hosts that hear each other", () => {
    test("are tested in all directions, in a second, and nothing is left", async () => {
        const overlay = new VirtualOverlay(ABC);
        expect(await overlay.probe()).toBeUndefined();
        expect(overlay.tested.sort()).toEqual(["a→b", "a→c", "b→a", "b→c", "c→a", "c→b"]);
        expect(overlay.said).toEqual(["testing the network between the hosts"]);
        expect(overlay.clock.now()).toBeLessThan(1000);
        expect([overlay.created, overlay.helpers.size]).toEqual([3, 0]);
    });

    test("may need time until they know each other's containers: a pair that works at the third try is good", async () => {
        let tries = 0;
        const isLost = (from: string, to: string, packet: Packet) =>
            packet === "data" && from === "b" && to === "a" && (tries += 1) <= 4;
        const overlay = new VirtualOverlay(ABC, { isLost });
        expect(await overlay.probe()).toBeUndefined();
        expect(overlay.tested.filter((pair) => pair === "b→a")).toHaveLength(3);
        expect(overlay.tested.filter((pair) => pair === "b→c")).toHaveLength(1);
        expect(overlay.said).toHaveLength(1);
    });

    test("that took too long are accepted, with a warning", async () => {
        const overlay: VirtualOverlay = new VirtualOverlay(ABC, {
            isLost: (_from, _to, packet) => packet === "gossip" && !overlay.helpers.has("a on host"),
        });
        expect(await overlay.probe()).toBeUndefined();
        expect(overlay.said[1]).toContain("UDP 7946 may be blocked");
    });

    test.each([
        ["each host has nodes", ABC, ABC],
        ["the cluster is on one host", [undefined], []],
    ])("aren't tested if %s", async (_, names, withNodes) => {
        const overlay = new VirtualOverlay(names);
        expect(await overlay.probe({ withNodes })).toBeUndefined();
        expect([overlay.created, overlay.said]).toEqual([0, []]);
    });

    test("are tested with a new host only", async () => {
        const overlay = new VirtualOverlay(ABC);
        expect(await overlay.probe({ withNodes: ["a", "b"] })).toBeUndefined();
        expect(overlay.tested.sort()).toEqual(["a→c", "b→c", "c→a", "c→b"]);
    });
});

/** Hosts that don't hear each other, and what the message says. */
interface Case {
    what: string;
    isLost: (from: string, to: string, packet: Packet) => boolean;
    says: string[];
}

const CASES: Case[] = [
    {
        what: "one direction",
        isLost: (from, to, packet) => from === "a" && to === "b" && packet === "data",
        says: ["b (10.0.0.2) doesn't hear a (10.0.0.1): nothing arrives by UDP 4789"],
    },
    {
        what: "one pair",
        isLost: (from, to, packet) => from !== "c" && to !== "c" && packet === "data",
        says: ["a (10.0.0.1) and b (10.0.0.2) don't hear each other: nothing arrives by UDP 4789"],
    },
    {
        what: "a host that blocks what arrives",
        isLost: (_, to, packet) => to === "b" && packet === "data",
        says: ["b (10.0.0.2) hears no other host: nothing arrives by UDP 4789"],
    },
    {
        what: "a host that blocks what it sends",
        isLost: (from, _, packet) => from === "b" && packet === "data",
        says: ["no other host hears b (10.0.0.2): nothing arrives by UDP 4789"],
    },
    {
        what: "a circle: of several senders only some arrive",
        isLost: (from, to, packet) => packet === "data" && ["a b", "b c", "c a"].includes(`${from} ${to}`),
        says: [
            "b (10.0.0.2) doesn't hear a (10.0.0.1): nothing arrives by UDP 4789",
            "a (10.0.0.1) doesn't hear c (10.0.0.3): nothing arrives by UDP 4789",
            "c (10.0.0.3) doesn't hear b (10.0.0.2): nothing arrives by UDP 4789",
        ],
    },
    {
        what: "a host that is cut off",
        isLost: (from, to) => from === "b" || to === "b",
        says: ["b (10.0.0.2) and the other hosts don't hear each other: nothing arrives by TCP 2377 and 7946"],
    },
    {
        what: "a closed TCP port of the gossip",
        isLost: (from, to, packet) =>
            (to === "b" && packet === "TCP 7946") || ([from, to].includes("b") && packet === "gossip"),
        says: ["b (10.0.0.2) hears no other host: nothing arrives by TCP 7946"],
    },
    {
        what: "a closed UDP port of the gossip",
        isLost: (_from, _to, packet) => packet === "gossip",
        says: ["no host hears another: nothing arrives by UDP 7946"],
    },
];

test.each(CASES)("$what: the message says who doesn't hear whom, and why", async ({ isLost, says }) => {
    const overlay = new VirtualOverlay(ABC, { isLost });
    const message = await overlay.probe();
    expect(findingsOf(message)).toEqual(says);
    expect(message).toContain("TCP 2377, TCP and UDP 7946 and UDP 4789 must be open between the hosts.");
    expect(message).not.toContain("unencryptedOverlay");
    expect(overlay.clock.now()).toBeGreaterThan(20_000);
    expect(overlay.clock.now()).toBeLessThan(50_000);
    expect(overlay.helpers.size).toBe(0);
});

describe("an encrypted network", () => {
    test("with kernels that can't encrypt: they are named, and the way to go without", async () => {
        const overlay = new VirtualOverlay(ABC, { withoutEsp: ["a", "c"] });
        const message = await overlay.probe({ encrypted: true });
        expect(findingsOf(message)).toEqual([
            "no encrypted data can leave a (10.0.0.1), c (10.0.0.3): the kernel has no ESP",
        ]);
        expect(message).toContain("unencryptedOverlay");
        expect(message).toContain("docker network rm store-nodes");
    });

    test("with blocked data, or a kernel that doesn't say whether it can encrypt", async () => {
        const isLost = CASES[2]?.isLost;
        const overlay = new VirtualOverlay(ABC, { isLost, withoutCounters: true });
        const message = await overlay.probe({ encrypted: true });
        expect(findingsOf(message)).toEqual([
            "b (10.0.0.2) and the other hosts don't hear each other: nothing arrives by IP protocol 50 (ESP) or UDP 4789",
        ]);
        expect(message).toContain("IP protocol 50 (ESP), which each kernel needs too");
    });

    test("isn't to be removed once it has nodes", async () => {
        const overlay = new VirtualOverlay(ABC, { withoutEsp: ["c"] });
        expect(await overlay.probe({ encrypted: true, withNodes: ["a", "b"] })).not.toContain("docker network rm");
    });
});

describe("helpers", () => {
    test("that an engine refuses are named with its reason, and the other hosts are tested", async () => {
        const refusal = (host: string) => (host === "c" ? "could not attach to network" : undefined);
        const overlay = new VirtualOverlay(ABC, { refusal, isLost: CASES[0]?.isLost });
        expect(findingsOf(await overlay.probe())).toEqual([
            "c (10.0.0.3): its Docker daemon can't attach a container to it: could not attach to network",
            "b (10.0.0.2) doesn't hear a (10.0.0.1): nothing arrives by UDP 4789",
        ]);
        expect(overlay.helpers.size).toBe(0);
    });

    test("that an engine refuses on the host's own network leave open which port is closed", async () => {
        const refusal = (_: string, network: string) => (network === "host" ? "user namespaces" : undefined);
        const overlay = new VirtualOverlay(ABC, { refusal, isLost: CASES.at(-1)?.isLost });
        expect(findingsOf(await overlay.probe())).toEqual([
            "no host hears another: nothing arrives by TCP or UDP 7946",
        ]);
    });

    test("are removed if an engine is lost in the test", async () => {
        const overlay = new VirtualOverlay(ABC, { failing: "b" });
        expect(await overlay.probe()).toBe("connection lost");
        expect(overlay.helpers.size).toBe(0);
    });
});

test("the message about many hosts fits on a screen", async () => {
    const names = Array.from("abcdefghijklmnop");
    const isLost = (from: string, to: string, packet: Packet) =>
        packet === "data" && (from.charCodeAt(0) + to.charCodeAt(0)) % 3 === 0;
    const message = await new VirtualOverlay(names, { isLost }).probe();
    expect(message?.split("\n").length).toBeLessThan(20);
    expect(message).toMatch(/and \d+ more/);
});
