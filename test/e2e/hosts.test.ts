import { setTimeout as sleep } from "node:timers/promises";
import { exerciseStore } from "./harness/traffic";
import { minioStore } from "./harness/stores";
import { chaosFailures } from "./chaos/chaosTable";
import { runCourse } from "./chaos/course";
import { DRIVES_FOUND } from "./chaos/disturbance";
import { ObjectLedger } from "./chaos/objectLedger";
import { shortfallsOf } from "./chaos/shortfalls";
import { hostKilled } from "./hosts/hostFaults";
import { HostsTarget } from "./hosts/hostsTarget";

const MINUTE = 60_000;

describe("a store over three hosts", () => {
    let target: HostsTarget;

    beforeAll(async () => {
        target = await HostsTarget.create(minioStore(), 3, { nodeCount: "3" });
    }, 3 * MINUTE);

    afterAll(() => target.remove(), 2 * MINUTE);

    test(
        "is refused while the hosts are no swarm, with the command for it",
        async () => {
            const failure = await target.deployment.previewFailing();
            expect(failure).toContain("hosts[0]: ");
            expect(failure).toContain("npm run hosts -- join");
        },
        MINUTE,
    );

    test(
        "is refused before the first node while nothing arrives at a port between the hosts, which the message names",
        async () => {
            await target.join();
            await target.hosts.block("b", "udp", 4789);
            const failure = await target.deployment.upFailing().finally(() => target.hosts.unblock("b", "udp", 4789));
            expect(failure).toMatch(/\n +b \(.*\) hears no other host: nothing arrives by UDP 4789\n/);
            for (const { name } of target.hosts.hosts) {
                const containers = await target.engine(name).docker.listContainers({ all: true });
                // A watchdog holds no data, and starts nothing that isn't there.
                expect(
                    containers.flatMap(({ Names: names }) => names).filter((one) => !/-watchdog$/.test(one)),
                ).toEqual([]);
            }
        },
        3 * MINUTE,
    );

    test(
        "has a node with its data on each host, and a proxy on each",
        async () => {
            await target.join();
            await target.up();
            const { clusterName } = target.deployment;
            expect(await target.containers()).toEqual({
                a: [`${clusterName}-a-proxy`, `${clusterName}-pool1-node1`],
                b: [`${clusterName}-b-proxy`, `${clusterName}-pool1-node2`],
                c: [`${clusterName}-c-proxy`, `${clusterName}-pool1-node3`],
            });
            const volumes = await target.engine("b").namesOf(`${clusterName}-pool1`);
            expect(volumes).toContain(`${clusterName}-pool1-node2-drive1`);
            expect(volumes).not.toContain(`${clusterName}-pool1-node1-drive1`);
        },
        4 * MINUTE,
    );

    test("serves S3 through any proxy", () => exerciseStore(target.outputs), 2 * MINUTE);

    test(
        "a second update changes nothing, nor does one after a refresh",
        async () => {
            const changed = async () => {
                const { changes, output } = await target.deployment.up();
                return Object.keys(changes).join() === "same"
                    ? []
                    : output.split("\n").filter((line) => /^ *[-+~]/.test(line));
            };
            expect(await changed()).toEqual([]);
            await target.deployment.refresh();
            expect(await changed()).toEqual([]);
        },
        2 * MINUTE,
    );

    test(
        "another order of the hosts is refused, because data doesn't move with a node",
        async () => {
            const { hosts } = target.hosts;
            await target.deployment.configure({ hosts: JSON.stringify([...hosts].reverse()) });
            const failure = await target.deployment.previewFailing();
            expect(failure).toContain("and its data is on");
            await target.deployment.configure({ hosts: JSON.stringify(hosts) });
        },
        MINUTE,
    );

    test(
        "while a host is down an update names it and changes nothing; with unreachableHosts it applies to the others, and to this one after its return",
        async () => {
            const { deployment, hosts } = target;
            const configured = async (host: string) => {
                const proxy = `${deployment.clusterName}-${host}-proxy`;
                const text = await target
                    .engine(host)
                    .exec(proxy, ["cat", "/usr/local/etc/haproxy/current/haproxy.cfg"]);
                return /max-age=77/.test(text);
            };
            await hosts.kill("c");
            await deployment.configure({ hstsMaxAge: "77" });
            expect(await deployment.upFailing()).toContain("hosts[2].dockerHost: host c: Docker doesn't answer");
            expect(await configured("a")).toBe(false);

            await deployment.configure({ unreachableHosts: JSON.stringify(["c"]) });
            await deployment.up();
            expect([await configured("a"), await configured("b")]).toEqual([true, true]);
            await deployment.configure({ restartedAt: "now" });
            expect(await deployment.upFailing()).toContain("no node is replaced while a host is away");
            await deployment.unset("restartedAt");

            await hosts.start("c");
            await target.untilWhole(120);
            await deployment.unset("unreachableHosts");
            await deployment.up();
            expect(await configured("c")).toBe(true);
        },
        5 * MINUTE,
    );

    test(
        "loses a host without a failed operation, if clients retry",
        async () => {
            await target.prepareLoad();
            // The host came back a moment ago, and goes a second time.
            await sleep(DRIVES_FOUND);
            const fault = hostKilled("c", 20);
            const ledger = new ObjectLedger();
            const result = await runCourse(target, ledger, fault);
            const shortfalls = shortfallsOf(fault.expected, result, ledger);
            const report = [chaosFailures([{ ...result, shortfalls }]), ...result.proxyLines].join("\n");
            expect(shortfalls.length === 0 ? "" : report).toBe("");
        },
        6 * MINUTE,
    );
});
