import { setTimeout as sleep } from "node:timers/promises";
import { connect, type Socket } from "node:net";
import { connectEngines } from "../../components/docker/connectEngine";
import { KeepalivedControl, type AddressMember } from "../../components/hosts/floatingAddress/addressControl";
import { runCourse } from "./chaos/course";
import { ObjectLedger } from "./chaos/objectLedger";
import { get } from "./harness/clients";
import { accessLogOf } from "./harness/accessLogLines";
import { DockerHost } from "./harness/dockerHost";
import { withAnotherBinary, type DerivedImage } from "./harness/rolloutImage";
import { furtherImage, testImages } from "./harness/testRun";
import { exerciseStore } from "./harness/traffic";
import { waitUntil } from "./harness/wait";
import { AddressLoad } from "./hosts/addressLoad";
import {
    answered,
    FLOATING_ADDRESS,
    floatingTarget,
    holdersOf,
    longestSilence,
    statusOfAddress,
} from "./hosts/addressTarget";
import type { HostsTarget } from "./hosts/hostsTarget";

const MINUTE = 60_000;

/** Longest time without an answer after the loss of the host, or of the proxy, that has the address. */
const MOVED_WITHIN_MILLISECONDS = 3000;

const TABLE = `floating_address_${FLOATING_ADDRESS.replaceAll(".", "_")}`;

describe("a floating address over three hosts", () => {
    let target: HostsTarget;
    const images: DerivedImage[] = [];

    const proxyOf = (host: string) => `${target.deployment.clusterName}-${host}-proxy`;
    const holder = async () => {
        const holders = await holdersOf(target);
        expect(holders).toHaveLength(1);
        return holders[0] ?? "";
    };

    /** Connects to a port of this machine, from which everything goes to the floating address. */
    const openSocket = (port: number) =>
        new Promise<Socket>((resolve, reject) => {
            const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", reject);
        });

    /** Exit code of the check of the proxy at the floating address, run on a host. */
    const redirects = async (host: string) => {
        const { httpPort } = target.deployment;
        const keepalived = `${target.deployment.clusterName}-${host}-keepalived`;
        const command = ["perl", "/run/keepalived/check.pl", FLOATING_ADDRESS, String(httpPort), "/none", "1"];
        const engine = await connectEngines(connections());
        return (await engine.on(host).run(keepalived, command)).code;
    };

    const connections = () =>
        target.hosts.hosts.map(({ name, dockerHost, address }) => ({
            name,
            address,
            dockerHost: { host: dockerHost },
        }));

    /** What an update controls the address with. */
    const controlOf = async () => {
        const members = target.hosts.hosts.map(({ name, address }): AddressMember => ({
            name,
            address,
            proxy: proxyOf(name),
            keepalived: `${target.deployment.clusterName}-${name}-keepalived`,
        }));
        const { httpPort } = target.deployment;
        const engines = await connectEngines(connections());
        return new KeepalivedControl(engines, { address: FLOATING_ADDRESS, httpPort }, members);
    };

    beforeAll(async () => {
        target = await floatingTarget({ drainTimeout: "60", accessLog: "json" });
        await target.join();
        await target.up();
        await target.prepareLoad();
    }, 10 * MINUTE);

    afterAll(async () => {
        await target.remove();
        await Promise.all(images.map((image) => image.remove()));
    }, 3 * MINUTE);

    test(
        "is on one host, which the status names, and serves S3 there",
        async () => {
            const name = await holder();
            const { hosts, problems } = await statusOfAddress(target);
            expect(problems).toEqual([]);
            expect(hosts.map(({ address, host, hasAddress }) => [address, host, hasAddress])).toEqual(
                ["a", "b", "c"].map((host) => [FLOATING_ADDRESS, host, host === name]),
            );
            await exerciseStore(target.outputs);
        },
        2 * MINUTE,
    );

    test(
        "stays where it is in a second update, which changes nothing",
        async () => {
            const before = await holder();
            const { changes, output } = await target.deployment.up();
            expect({ changes, output }).toMatchObject({ changes: { same: expect.any(Number) as number } });
            expect(Object.keys(changes)).toEqual(["same"]);
            expect(await holder()).toBe(before);
        },
        3 * MINUTE,
    );

    test(
        "shows true client addresses to admin networks, limits and the access log",
        async () => {
            const { deployment, hosts } = target;
            const client = "10.99.0.254";
            const admin = `${target.outputs.s3Endpoint}/minio/admin/v3/info`;
            expect((await get(target.outputs, admin)).body.toString()).toContain("closed");
            await deployment.configure({
                adminNetworks: JSON.stringify([`${client}/32`]),
                maxConnectionsPerAddress: "20",
            });
            await deployment.up();
            expect((await get(target.outputs, admin)).body.toString()).not.toContain("closed");

            const name = await holder();
            const lines = await accessLogOf(
                target.engine(name),
                proxyOf(name),
                (line) => line["client_address"] === client,
            );
            expect(lines.map((line) => line["client_address"])).not.toContain(
                hosts.hosts.find((host) => host.name === name)?.address,
            );

            const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(deployment.httpsPort)));
            // The connections reach the proxy some time after this machine's port has accepted them.
            const refused = () =>
                answered(target).then(
                    () => false,
                    () => true,
                );
            await waitUntil("its connections are too many", refused, 8);
            // Another client is still served.
            const other = hosts.hosts.find((host) => host.name !== name)?.name ?? "";
            expect(await redirects(other)).toBe(0);
            sockets.forEach((socket) => socket.destroy());
            await deployment.unset("maxConnectionsPerAddress");
            await deployment.up();
        },
        5 * MINUTE,
    );

    test.each([
        [
            "loses power",
            (name: string) => target.hosts.kill(name),
            (name: string) => target.hosts.start(name),
            undefined,
        ],
        [
            "has no proxy any more",
            (name: string) => target.engine(name).docker.getContainer(proxyOf(name)).kill() as Promise<void>,
            (name: string) => target.engine(name).docker.getContainer(proxyOf(name)).start() as Promise<void>,
            false,
        ],
        // Its interface has no carrier, so keepalived gives the address up. Its engine answers the test at a socket.
        ["is cut off", (name: string) => target.hosts.cut(name), (name: string) => target.hosts.plug(name), false],
    ])(
        "is on another host within 3 s if the host that has it %s, and stays there",
        async (_, lose, restore, hasItThen) => {
            const before = await holder();
            const silence = await longestSilence(target, async () => {
                await lose(before);
                await sleep(8000);
            });
            console.log(`longest time without an answer: ${silence} ms`);
            expect(silence).toBeLessThan(MOVED_WITHIN_MILLISECONDS);
            const after = (await holdersOf(target)).filter((name) => name !== before);
            expect(after).toHaveLength(1);
            const { hosts, problems } = await statusOfAddress(target);
            expect(Object.fromEntries(hosts.map(({ host, hasAddress }) => [host, hasAddress]))).toMatchObject({
                [before]: hasItThen,
                [after[0] ?? ""]: true,
            });
            expect(problems).toEqual([]);
            await restore(before);
            await target.untilWhole(120);
            await waitUntil("one host has it", async () => (await holdersOf(target)).length === 1, 30);
        },
        5 * MINUTE,
    );

    test(
        "is on a host that serves, and nothing is passed on, after an update that ended during a hand-over",
        async () => {
            const control = await controlOf();
            const [former] = await control.holders();
            if (former === undefined) {
                throw new Error("no host has the address");
            }
            const others = (await control.able()).filter(({ name }) => name !== former.name);
            await control.passOn(others, former, 5);
            await control.askToHandOver(former);
            await waitUntil("it moved", async () => (await holder().catch(() => former.name)) !== former.name, 10);
            await answered(target);
            await sleep(20_000);
            expect((await control.able()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
            for (const { name, keepalived } of others) {
                const rules = await target.engine(name).exec(keepalived, ["nft", "list", "map", "ip", TABLE, "former"]);
                expect(rules).not.toContain(former.address);
            }
            await control.passOn(others, former, 0);
        },
        3 * MINUTE,
    );

    test.each([
        [
            "image of HAProxy",
            async (): Promise<void> => {
                const image = await withAnotherBinary(new DockerHost(), testImages().haproxy, {
                    path: "/etc/debian_version",
                    ending: "next",
                });
                images.push(image);
                await target.hosts.load([image.reference]);
                await target.deployment.configure({ haproxyImage: image.reference });
            },
        ],
        ["HTTP port", (): Promise<void> => target.deployment.configure({ httpPort: "8081" })],
    ])(
        "fails no request without retries when another %s rolls over the proxies",
        async (_, configure) => {
            const before = await holder();
            const formerly = await Promise.all(
                target.hosts.hosts.map(async ({ name }) => (await target.engine(name).inspect(proxyOf(name))).Id),
            );
            await configure();
            const load = await AddressLoad.start(target.outputs);
            const result = await runCourse(target, new ObjectLedger(), {
                name: "rolled",
                run: async ({ deployment }) => {
                    await deployment.up();
                },
                expected: {},
            });
            const tally = await load.stop();
            const { requests, slowest, longestGap, trouble } = result;
            const answered = Object.fromEntries(
                Object.entries(tally).map(([manner, found]) => [manner, found.answered]),
            );
            console.log(JSON.stringify({ answered, requests, slowest, longestGap, trouble }));
            const now = await Promise.all(
                target.hosts.hosts.map(async ({ name }) => (await target.engine(name).inspect(proxyOf(name))).Id),
            );
            expect(now.filter((id) => formerly.includes(id))).toEqual([]);
            expect(await holder()).not.toBe(before);
            expect(Object.values(tally).flatMap(({ failures }) => failures)).toEqual([]);
            expect(Object.values(tally).every(({ answered }) => answered > 3)).toBe(true);
            expect(result.failures).toEqual({});
        },
        10 * MINUTE,
    );

    test(
        "is gone from the hosts, with every rule, when it is removed from the config",
        async () => {
            await target.deployment.unset("floatingAddress");
            await target.deployment.up();
            for (const { name } of target.hosts.hosts) {
                const container = await target.engine(name).docker.createContainer({
                    Image: furtherImage("keepalived"),
                    Cmd: ["sh", "-c", "ip -o -4 address; nft list tables"],
                    HostConfig: { NetworkMode: "host", CapAdd: ["NET_ADMIN"] },
                });
                await container.start();
                await target.engine(name).exitCode(container);
                const text = await target.engine(name).logs(container.id);
                await container.remove();
                expect(text).toContain(" eth0 ");
                expect(text).not.toContain(FLOATING_ADDRESS);
                expect(text).not.toContain(TABLE);
            }
        },
        3 * MINUTE,
    );
});
