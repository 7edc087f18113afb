import {
    answers,
    counter,
    reach,
    reachAll,
    type Direction,
    type Helper,
    type OverlayHost,
    type Reach,
} from "./overlayHelpers";
import { SWARM_PORT } from "../../docker/swarm";

/** A host that doesn't hear another one. */
export interface Unheard {
    host: OverlayHost;
    from: OverlayHost;
    /** The ports or the protocol that don't arrive. */
    cause: string;
}

/** What is wrong between hosts. */
export interface Diagnosis {
    unheard: Unheard[];
    /** Hosts whose kernel can't encrypt data. */
    withoutEsp: OverlayHost[];
}

/** The results of the tests in one direction. */
interface Evidence extends Direction {
    /** The other helper's answer. Without one, a packet was lost on the way there or back. */
    reach: Reach;
    /** Whether the first packet arrived. Undefined if that is unknown. */
    arrived: boolean | undefined;
    /** Ports of the swarm that don't accept connections on the host's own network. Undefined if that couldn't be tested. */
    closed?: number[];
}

/** Port at which the engines of a swarm inform each other of the containers on its networks. */
const GOSSIP_PORT = 7946;

/**
 * Time limit of a connection, in seconds. After 3 s the kernel reports an address as unknown in its network: the engine
 * hasn't been informed of the other host's container.
 */
const SECONDS = 5;

/** Maximum number of tests in a row. Who hears whom may be known less exactly with more hosts. */
const ROUNDS = 6;

/** Counter of connections that a kernel refused. */
const REFUSED = { file: "/proc/net/snmp", name: "OutRsts" };

/** Counter of packets that a kernel discarded because it couldn't encrypt them. */
const UNENCRYPTED = { file: "/proc/net/xfrm_stat", name: "XfrmOutNoStates" };

/**
 * Finds out what doesn't arrive between helpers that can't connect to each other. Finds nothing if they can by now.
 *
 * @param failing Connections that failed.
 * @param onHosts Helpers on the hosts' own networks, as far as there are any.
 * @param encrypted Whether the network is encrypted.
 */
export async function diagnose(
    failing: readonly Direction[],
    onHosts: readonly Helper[],
    encrypted: boolean,
): Promise<Diagnosis> {
    const unencrypted = await watch(encrypted ? onHosts : [], UNENCRYPTED);
    const tested = await testAgain(bothWays(failing));
    const withoutEsp = [...(await unencrypted())].flatMap(([{ host }, count]) => ((count ?? 0) > 0 ? [host] : []));
    const evidence = await testPorts(tested, onHosts);
    const unheard = evidence.flatMap((one) => causesOf(one, opposite(one, evidence), encrypted));
    const explained = ({ host, from }: Unheard) => withoutEsp.includes(host) || withoutEsp.includes(from);
    return { unheard: unheard.filter((one, index) => !explained(one) && isFirst(one, index, unheard)), withoutEsp };
}

/** Whether a finding isn't the repetition of an earlier one: both directions of a pair may show the same. */
function isFirst({ host, from, cause }: Unheard, index: number, all: readonly Unheard[]): boolean {
    return index === all.findIndex((one) => one.host === host && one.from === from && one.cause === cause);
}

/** The pairs of these directions, each in both. */
function bothWays(directions: readonly Direction[]): Direction[] {
    const all = directions.flatMap((one) => [one, { from: one.to, to: one.from }]);
    return all.filter(({ from, to }, index) => index === all.findIndex((one) => one.from === from && one.to === to));
}

function opposite({ from, to }: Direction, evidence: readonly Evidence[]): Evidence {
    return evidence.find((other) => other.from === to && other.to === from) as Evidence;
}

/** Starts to watch a counter of helpers. The returned function says by how much it has grown; undefined if there is none. */
async function watch(
    helpers: readonly Helper[],
    { file, name }: { file: string; name: string },
): Promise<() => Promise<Map<Helper, number | undefined>>> {
    const read = () => Promise.all(helpers.map((helper) => counter(helper, file, name)));
    const before = await read();
    return async () => {
        const after = await read();
        const growth = (index: number) => (after[index] ?? NaN) - (before[index] ?? NaN);
        return new Map(
            helpers.map((helper, index) => [helper, Number.isNaN(growth(index)) ? undefined : growth(index)]),
        );
    };
}

/**
 * Tests all directions at once. Where a receiver has several senders and it is open whose packets have arrived, they are
 * tested one after the other.
 */
async function testAgain(directions: readonly Direction[]): Promise<Evidence[]> {
    let evidence = await testAtOnce(directions);
    const open = evidence.filter(({ arrived }) => arrived === undefined);
    for (let round = 1; round < ROUNDS && open.length > 0; round++) {
        const tested = open.filter(({ to }, index) => index === open.findIndex((other) => other.to === to));
        const found = await testAtOnce(tested);
        evidence = evidence.map((one) => found[tested.indexOf(one)] ?? one);
        tested.forEach((one) => open.splice(open.indexOf(one), 1));
    }
    return evidence;
}

/** Tests directions, and counts on the receivers whether packets arrive. */
async function testAtOnce(directions: readonly Direction[]): Promise<Evidence[]> {
    const refused = await watch([...new Set(directions.map(({ to }) => to))], REFUSED);
    const reached = await reachAll(directions, SECONDS);
    const growth = await refused();
    const senders = new Map<Helper, number>();
    directions.forEach(({ to }, index) => {
        senders.set(to, (senders.get(to) ?? 0) + (reached[index] === "unreachable" ? 0 : 1));
    });
    return directions.map(({ from, to }, index) => {
        const result = reached[index] ?? "silent";
        const count = growth.get(to);
        const answered = result === "silent" ? undefined : result !== "unreachable";
        const known = count === 0 ? false : count !== undefined && senders.get(to) === 1 ? true : undefined;
        return { from, to, reach: result, arrived: answered ?? known };
    });
}

/** Tests in the same directions which ports of the swarm can be reached on the hosts' own network. */
async function testPorts(evidence: readonly Evidence[], onHosts: readonly Helper[]): Promise<Evidence[]> {
    const address = ({ to }: Direction, port: number) => `${to.host.address}:${port}`;
    const found = onHosts.map(async (helper) => {
        const own = evidence.filter(({ from }) => from.host === helper.host);
        const targets = own.flatMap((one) => [SWARM_PORT, GOSSIP_PORT].map((port) => address(one, port)));
        const reached = await reach(helper, targets, SECONDS);
        return own.map((one): [Direction, number[]] => [
            one,
            [
                // Hosts that aren't managers refuse connections to this port.
                ...(answers(reached(address(one, SWARM_PORT))) ? [] : [SWARM_PORT]),
                ...(reached(address(one, GOSSIP_PORT)) === "connected" ? [] : [GOSSIP_PORT]),
            ],
        ]);
    });
    const closed = new Map<Direction, number[]>((await Promise.all(found)).flat());
    return evidence.map((one) => ({ ...one, closed: closed.get(one) }));
}

/** What the results of one direction, and those of the opposite one, say about who doesn't hear whom. */
function causesOf(one: Evidence, back: Evidence, encrypted: boolean): Unheard[] {
    if (answers(one.reach) && answers(back.reach)) {
        return [];
    }
    const lost = ({ from, to }: Direction, cause: string) => ({ host: to.host, from: from.host, cause });
    const closed = one.closed ?? [];
    const found = closed.length > 0 ? [lost(one, `TCP ${closed.join(" and ")}`)] : [];
    if (one.reach === "unreachable") {
        const known = one.closed !== undefined && back.closed !== undefined;
        // A closed port in one direction explains this in both.
        const explained = [...closed, ...(back.closed ?? [])].includes(GOSSIP_PORT);
        return explained ? found : [...found, lost(back, `${known ? "UDP" : "TCP or UDP"} ${GOSSIP_PORT}`)];
    }
    const data = encrypted ? "IP protocol 50 (ESP) or UDP 4789" : "UDP 4789";
    const silent = one.reach === "silent";
    return [
        ...found,
        ...(silent && one.arrived !== true ? [lost(one, data)] : []),
        ...(silent && one.arrived !== false && back.reach !== "unreachable" ? [lost(back, data)] : []),
    ];
}
