import { createServer, type AddressInfo, type Server } from "node:net";
import type { StoreHost } from "../../../../components";
import type { EngineSwarm } from "../../../../components/docker/swarm";
import { checkEngine } from "../../../../components/requirements/run";
import type { EngineSnapshot } from "../../../../components/requirements/engineCache";
import { changed, hostsNamed, nodesOf, swarmsOf } from "../../fakes/mockSwarm";

let taken: Server;

beforeAll((done) => {
    taken = createServer().listen(0, "0.0.0.0", done);
});

afterAll((done) => {
    taken.close(done);
});

/** Engines at sockets of this host. */
function snapshotOf(swarms: Map<string, EngineSwarm | Error>): EngineSnapshot {
    const hosts = [...swarms].map(([name, swarm]) => {
        const engine = { local: true, swarm: () => Promise.resolve(swarm), publishedPorts: () => Promise.resolve([]) };
        return [name, { engine: () => Promise.resolve(engine) }] as const;
    });
    return { hosts: new Map(hosts), names: [...swarms.keys()], away: [] } as unknown as EngineSnapshot;
}

function problemsOf(members: StoreHost[], swarms: Map<string, EngineSwarm | Error>) {
    const { port } = taken.address() as AddressInfo;
    const ofHosts = new Map([["a", { ports: [{ propertyPath: "httpsPort", port }] }]]);
    return checkEngine({ swarm: members, ofHosts }, snapshotOf(swarms));
}

const nodes = nodesOf("ABC");

test("a port that is taken on this host is refused for an engine that has this host's address", async () => {
    const [a, ...others] = hostsNamed("abc");
    const members = [{ ...(a as StoreHost), address: "127.0.0.1" }, ...others];
    const problems = await problemsOf(members, swarmsOf(members, changed(nodes, { a: { address: "127.0.0.1" } })));
    expect(problems).toEqual([
        {
            propertyPath: "httpsPort",
            reason: expect.stringMatching(/^host a: \d+ is taken by another program/) as string,
        },
    ]);
});

test("an engine in a network namespace of its own has other ports than this host, though its socket is here", async () => {
    const members = hostsNamed("abc");
    expect(await problemsOf(members, swarmsOf(members, nodes))).toEqual([]);
});
