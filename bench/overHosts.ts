import { minioStore } from "../test/e2e/harness/stores";
import { Deployment } from "../test/e2e/harness/deployment";
import { configOver, makeBenchHosts } from "./benchHosts";
import { secondsOf, type BenchOptions, type PartResult } from "./measurement";
import { alternate } from "./progress";

const MOST_HOSTS = 4;

/** Numbers of nodes, each with the numbers of hosts that it is deployed over. */
const POINTS = [
    { name: "1 node", nodes: 1, hosts: [1] },
    { name: "4 nodes", nodes: 4, hosts: [1, 2, 4] },
    { name: "16 nodes", nodes: 16, hosts: [1, 2, 4] },
];

const SUBJECTS = [1, 2, 4].map((hosts) => ({ name: hosts === 1 ? "1 host" : `${hosts} hosts`, hosts }));

/** The duration of `pulumi up` by the number of nodes and hosts, from nothing and without changes. */
export async function measureOverHosts({ rounds, only }: BenchOptions): Promise<PartResult> {
    const hosts = await makeBenchHosts(MOST_HOSTS);
    try {
        const result: PartResult = {
            title: "Several hosts: `pulumi up` by the number of nodes and hosts",
            ours: "1 host",
            metrics: [
                { name: "from nothing", unit: "seconds", better: "lower" },
                { name: "nothing to change", unit: "seconds", better: "lower" },
            ],
            measurements: [],
            notes: [
                "MinIO, one drive per node, images already there. `pulumi up --parallel 16` without preview, until every node is healthy and " +
                    "every proxy serves. Several hosts: one stack over hosts of a swarm, with a proxy on each; the test of the network between " +
                    "them is included. One host: the same engine as the first of them, by `docker:host`.",
                "The hosts are network namespaces of one machine, each with a Docker engine. They share its CPUs, memory and disk, so these " +
                    "figures show what the program does for each host, and not what more machines would gain.",
            ],
        };
        const points = POINTS.filter(({ name }) => only?.test(name) ?? true);
        for (const point of points) {
            const subjects = SUBJECTS.filter((subject) => point.hosts.includes(subject.hosts));
            await alternate({ points: [point], subjects, rounds, result }, ({ nodes }, subject) =>
                measureUpdate(configOver(hosts.hosts.slice(0, subject.hosts), nodes)),
            );
        }
        return result;
    } finally {
        await hosts.remove();
    }
}

async function measureUpdate(config: ReturnType<typeof configOver>): Promise<{ [metric: string]: number }> {
    const deployment = await Deployment.create({ ...minioStore().config, ...config });
    try {
        return {
            "from nothing": await secondsOf(() => deployment.up()),
            "nothing to change": await secondsOf(() => deployment.up()),
        };
    } finally {
        await deployment.down();
        await deployment.remove();
    }
}
