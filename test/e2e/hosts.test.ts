import { exerciseStore } from "./harness/traffic";
import { minioStore } from "./harness/stores";
import { runCourse } from "./chaos/course";
import { ObjectLedger } from "./chaos/objectLedger";
import { shortfallsOf } from "./chaos/shortfalls";
import { hostKilled } from "./hosts/hostFaults";
import { HostsTarget } from "./hosts/hostsTarget";
import { waitUntil } from "./harness/wait";

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
        "loses a host without a failed operation, if clients retry; meanwhile an update names the host and changes nothing",
        async () => {
            await target.prepareLoad();
            const { run, ...fault } = hostKilled("c");
            let failure = "";
            const whileAway = async () => {
                await waitUntil("the host is away", () =>
                    target.hosts.docker("c", "version").then(
                        () => false,
                        () => true,
                    ),
                );
                failure = await target.deployment.upFailing();
            };
            const ledger = new ObjectLedger();
            const result = await runCourse(target, ledger, {
                ...fault,
                run: (of) => Promise.all([run(of), whileAway()]).then(() => undefined),
            });
            expect(shortfallsOf(fault.expected, result, ledger)).toEqual([]);
            expect(failure).toContain("hosts[2].dockerHost: host c: Docker doesn't answer");
        },
        6 * MINUTE,
    );
});
