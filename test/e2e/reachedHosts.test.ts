import { systemClock } from "../../components/docker/poll";
import { hostEngine } from "../../tools/stack/hostConnection";
import { membershipPlan } from "../../tools/hosts/membershipPlan";
import { carryOut, readSwarms } from "../../tools/hosts/swarmMembership";
import { limitSessions, shareSshConnections } from "../../tools/machine/sshConnections";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { standInStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { ReachedHosts } from "./hosts/reachedHosts";

const MINUTE = 60_000;

describe("a store over three hosts, reached at a socket, by ssh, and by TCP with TLS", () => {
    const before = { ...process.env };
    let reached: ReachedHosts;
    let deployment: Deployment;
    let connections = 0;

    /** Connections that sshd has accepted since the last call, and those that it has dropped. */
    const newConnections = async () => {
        const { accepted, dropped } = await reached.ssh.connections();
        const added = accepted - connections;
        connections = accepted;
        return { added, dropped };
    };

    beforeAll(async () => {
        reached = await ReachedHosts.create();
        // As `npm run up` does it.
        process.env["DOCKER_SSH_OPTS"] = `-F ${reached.ssh.configuration}`;
        shareSshConnections(process.env);
        limitSessions(process.env);
        const { config } = standInStore();
        await reached.virtual.load([testImages().haproxy, config["image"] ?? ""]);
        deployment = await Deployment.create({
            ...config,
            nodeCount: "3",
            hosts: JSON.stringify(reached.hosts),
            // The kernel may lack ESP, without which nothing arrives on an encrypted overlay.
            unencryptedOverlay: "true",
            publishAddress: "0.0.0.0",
        });
    }, 4 * MINUTE);

    afterAll(async () => {
        await deployment.remove();
        await reached.remove();
        process.env = before;
    }, 2 * MINUTE);

    test("become a swarm", async () => {
        const plan = membershipPlan(reached.hosts, await readSwarms(reached.hosts));
        expect(plan.problems).toEqual([]);
        await carryOut(plan, { engine: hostEngine, print: () => undefined, clock: systemClock });
        expect(await newConnections()).toEqual({ added: 1, dropped: 0 });
    });

    test(
        "get a node and a proxy each, through one connection by ssh",
        async () => {
            await deployment.up();
            const nodes = reached.virtual.hosts.map(({ dockerHost }) =>
                new DockerHost(dockerHost.replace("unix://", "")).namesOf(deployment.clusterName),
            );
            const { clusterName } = deployment;
            const lists = await Promise.all(nodes);
            ["a", "b", "c"].forEach((host, index) => {
                expect(lists[index]).toContain(`${clusterName}-${host}-proxy`);
                expect(lists[index]).toContain(`${clusterName}-pool1-node${index + 1}`);
            });
            const { added, dropped } = await newConnections();
            expect(added).toBeLessThanOrEqual(1);
            expect(dropped).toBe(0);
        },
        5 * MINUTE,
    );

    test(
        "show no change to a second update, and after a refresh; the state doesn't know how connections are shared",
        async () => {
            expect((await deployment.up()).changes).toEqual({ same: expect.any(Number) as number });
            await deployment.refresh();
            expect((await deployment.up()).changes).toEqual({ same: expect.any(Number) as number });
            expect((await newConnections()).added).toBeLessThanOrEqual(1);
            expect(deployment.state()).not.toContain(process.env["DOCKER_SSH_OPTS"]?.split(" ").at(-1));
            expect(deployment.state()).not.toContain("sshOpts");
        },
        4 * MINUTE,
    );

    test(
        "may be reached in another way: only the provider changes, and no container is replaced",
        async () => {
            await deployment.configure({ hosts: JSON.stringify(reached.virtual.hosts) });
            expect((await deployment.up()).changes).toEqual({ update: 2, same: expect.any(Number) as number });
            await deployment.configure({ hosts: JSON.stringify(reached.hosts) });
            expect((await deployment.up()).changes).toEqual({ update: 2, same: expect.any(Number) as number });
        },
        4 * MINUTE,
    );

    test(
        "are refused with the name of the setting that is wrong",
        async () => {
            const [a, b, c] = reached.hosts;
            const wrong = [a, b, { ...c, certPath: reached.wrongCertPath }];
            await deployment.configure({ hosts: JSON.stringify(wrong) });
            const failure = await deployment.previewFailing();
            expect(failure).toContain("hosts[2].dockerHost: host c: Docker doesn't answer at tcp://127.0.0.1:");
            expect(failure).toContain("its certificate isn't signed by the ca.pem of hosts[2].certPath");
        },
        MINUTE,
    );
});
