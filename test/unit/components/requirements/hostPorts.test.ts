import { createServer, type AddressInfo, type Server } from "node:net";
import type { StoreHost } from "../../../../components";
import type { EngineSwarm } from "../../../../components/docker/swarm";
import type { Problem } from "../../../../components/checks/problem";
import type { DockerEngine } from "../../../../components/docker/engine";
import { hostsAreOneSwarm } from "../../../../components/hosts/swarm/swarmChecks";
import { EngineCache } from "../../../../components/requirements/engineCache";
import { portsAreFree } from "../../../../components/requirements/portChecks";
import { unmetNow } from "../../../../components/requirements/requireAll";
import { changed, hostsNamed, nodesOf, swarmsOf } from "../../fakes/mockSwarm";

let taken: Server;

beforeAll((done) => {
    taken = createServer().listen(0, "0.0.0.0", done);
});

afterAll((done) => {
    taken.close(done);
});

/** Problems of a port on host `a`, where the engines of all hosts are at sockets of this one. */
async function problemsOf(members: StoreHost[], swarms: Map<string, EngineSwarm | Error>): Promise<Problem[]> {
    const { port } = taken.address() as AddressInfo;
    const engines = new EngineCache(members.map(({ name, address }) => ({ name, address })));
    for (const [name = "", host] of engines.hosts) {
        const swarm = () => Promise.resolve(swarms.get(name));
        const engine = { local: true, swarm, publishedPorts: () => Promise.resolve([]) };
        host.engine = () => Promise.resolve(engine as unknown as DockerEngine);
    }
    const ports = [{ propertyPath: "httpsPort", port }];
    const wanted = { ports, publishAddress: "0.0.0.0", addressProperty: "publishAddress" };
    return unmetNow({ first: [hostsAreOneSwarm(members)], then: [portsAreFree("a", wanted)] }, engines);
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
