import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { VirtualHosts } from "../../tools/playground/virtualHosts";
import { Checkout } from "./harness/checkout";
import { standInStore } from "./harness/stores";
import { testImages } from "./harness/testRun";

const MINUTE = 60_000;

describe("npm run down of a store over two hosts", () => {
    const { config } = standInStore();
    let hosts: VirtualHosts;
    let checkout: Checkout;

    const socketOf = (name: string) => hosts.hosts.find((host) => host.name === name)?.dockerHost ?? "";

    /** Runs a command line of the docker client on one of the hosts. */
    const docker = (host: string, command: string) => checkout.shell(`docker -H ${socketOf(host)} ${command}`).trim();

    /** Names of everything that hosts have of the store. */
    const everything = (...names: string[]) =>
        names.map((host) =>
            ["ps -a --format '{{.Names}}'", "volume ls -q", "network ls --format '{{.Name}}'"]
                .flatMap((command) => docker(host, command).split("\n"))
                .filter((name) => name.startsWith(checkout.clusterName))
                .sort(),
        );

    /** Changes where the stack's file says that the second host is. */
    const leadTo = (host: string) => {
        const file = join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
        const content = parse(readFileSync(file, "utf8")) as { config: { [key: string]: unknown } };
        const [a, b] = hosts.hosts;
        content.config["object-store:hosts"] = [a, { ...b, dockerHost: socketOf(host) }];
        writeFileSync(file, stringify(content));
    };

    const volume = () => `${checkout.clusterName}-pool1-node2-drive1`;

    beforeAll(async () => {
        const folder = mkdtempSync(join(tmpdir(), "removed-"));
        hosts = await VirtualHosts.create({ count: 3, prefix: `removed-${process.pid}`, folder });
        await hosts.load([testImages().haproxy, config["image"] ?? ""]);
        checkout = await Checkout.make({
            ...config,
            nodeCount: "2",
            unencryptedOverlay: "true",
            publishAddress: "0.0.0.0",
            allowSinglePointOfFailure: "true",
        });
        leadTo("b");
        checkout.shell(`npm run pulumi -- stack select --create ${checkout.stack}`);
        checkout.shell(`npm run hosts -- join --stack ${checkout.stack}`);
        checkout.up();
        // A host of another swarm, with the data of another store of the same name.
        docker("c", "swarm init --advertise-addr 10.99.0.3");
        docker("c", `volume create ${volume()}`);
    }, 10 * MINUTE);

    afterAll(async () => {
        await hosts.remove();
        await checkout.remove();
    }, 3 * MINUTE);

    test(
        "touches nothing if an address leads to a host of another swarm, and names the host",
        () => {
            const before = everything("a", "b", "c");
            leadTo("c");
            const output = checkout.shellFailing(`npm run down -- --stack ${checkout.stack} --delete-data --yes`);
            expect(everything("a", "b", "c")).toEqual(before);
            expect(output).toMatch(/host b: ".*" is a Docker daemon of another swarm than that of host a/);
        },
        5 * MINUTE,
    );

    test(
        "touches nothing if a host has left the swarm",
        () => {
            leadTo("b");
            docker("b", "swarm leave");
            const before = everything("a", "b");
            expect(checkout.shellFailing(`npm run down -- --stack ${checkout.stack}`)).toMatch(
                /host b: ".*" is a Docker daemon in no swarm/,
            );
            expect(everything("a", "b")).toEqual(before);
        },
        5 * MINUTE,
    );

    test(
        "removes everything once the address is right, and the host is a member again, as the messages say",
        () => {
            checkout.shell(`npm run hosts -- join --stack ${checkout.stack} || true`);
            const output = checkout.shellFailing(`npm run down -- --stack ${checkout.stack}`);
            const [, command = ""] =
                /host b: a former node of it, .* keeps the network in use: (docker .*)$/m.exec(output) ?? [];
            expect(command).toMatch(/^docker -H \S+ node rm --force \S+$/);
            checkout.shell(command);
            checkout.shell(`npm run down -- --stack ${checkout.stack} --delete-data --yes`);
            expect(everything("a", "b", "c")).toEqual([[], [], [volume()]]);
        },
        5 * MINUTE,
    );
});
