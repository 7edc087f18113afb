import { createServer, type AddressInfo } from "node:net";
import { checkContainerLimits } from "../../../../components/args/containerLimits";
import type { PublishedPort } from "../../../../components/docker/model";
import { checkLimits, limitsWithoutEffect } from "../../../../components/requirements/limitChecks";
import { checkPorts } from "../../../../components/requirements/portChecks";
import type { Problem } from "../../../../components/checks/problem";
import { localHost } from "../../../../components/docker/localHost";
import { ENGINE_INFO as ENGINE } from "../../fakes/askedEngines";
import { mockHost } from "../../fakes/mockHost";

const textOf = (problems: Problem[]) => problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

describe("ports", () => {
    const wanted = (publishAddress: string) => ({
        ports: [{ propertyPath: "httpsPort", port: 443 }],
        publishAddress,
        addressProperty: publishAddress.includes(":") ? "publishIpv6Address" : "publishAddress",
        proxyName: "store-proxy",
    });
    const own = (address: string): PublishedPort => ({ container: "store-proxy", address, port: 443 });
    const refusals = async (publishAddress: string, published: PublishedPort[], ...listeners: string[]) =>
        textOf(await checkPorts(wanted(publishAddress), published, mockHost({ listeners })));

    test("an address that doesn't belong to this host is refused, also while the proxy publishes the port on another one", async () => {
        const expected = [
            expect.stringMatching(
                /^publishAddress: "198\.51\.100\.1" is not an address of this host: use one of 127\.0\.0\.1, 192\.0\.2\.2,/,
            ),
        ];
        expect(await refusals("198.51.100.1", [])).toEqual(expected);
        expect(await refusals("198.51.100.1", [own("0.0.0.0")], "0.0.0.0:443")).toEqual(expected);
    });

    test("a port that another program uses on a newly added address is refused", async () => {
        const published = [own("127.0.0.1")];
        const listeners = ["127.0.0.1:443", "192.0.2.2:443"];
        const expected = [
            "httpsPort: 443 is taken by another program on 192.0.2.2: stop that program, or set another port",
        ];
        expect(await refusals("0.0.0.0", published, ...listeners)).toEqual(expected);
        expect(await refusals("192.0.2.2", published, ...listeners)).toEqual(expected);
    });

    test.each([
        ["127.0.0.1", "127.0.0.1"],
        ["127.0.0.1", "0.0.0.0"],
        ["0.0.0.0", "127.0.0.1"],
        ["0.0.0.0", "0.0.0.0"],
    ])("from %s to %s, without another user of the port, is no conflict", async (before, after) => {
        expect(await refusals(after, [own(before)], `${before}:443`)).toEqual([]);
    });

    test("every IPv6 address is no IPv4 address", async () => {
        const other = { container: "other", address: "0.0.0.0", port: 443 };
        expect(await refusals("::", [other])).toEqual([]);
        expect(await refusals("::", [{ ...other, address: "2001:db8::1" }])).toEqual([
            "httpsPort: 443 is taken by the container other: stop that one, or give another port",
        ]);
        expect(await refusals("2001:db8::2", [])).toEqual([
            expect.stringMatching(/^publishIpv6Address: "2001:db8::2" is not an address of this host: use one of /),
        ]);
    });

    test("a host without IPv6 is refused", async () => {
        const host = { ...mockHost({}), refusalToListen: () => Promise.resolve("EAFNOSUPPORT") };
        expect(textOf(await checkPorts(wanted("::"), [], host))).toEqual([
            expect.stringMatching(/^publishIpv6Address: "::" can't be listened on: this host has no IPv6/),
        ]);
    });

    test("of this host are tested for IPv4 and IPv6 alone", async () => {
        const other = createServer();
        const port = await new Promise<number>((resolve) =>
            other.listen(0, "0.0.0.0", () => resolve((other.address() as AddressInfo).port)),
        );
        expect(await localHost.refusalToListen(port, "0.0.0.0")).toBe("EADDRINUSE");
        expect(await localHost.refusalToListen(port, "::")).toBeUndefined();
        await new Promise((resolve) => other.close(resolve));
    });

    test("another container's port is refused, also on a remote host", async () => {
        const published = [{ container: "other", address: "0.0.0.0", port: 443 }];
        const problems = await checkPorts(wanted("127.0.0.1"), published);
        expect(textOf(problems)).toEqual([
            "httpsPort: 443 is taken by the container other: stop that one, or give another port",
        ]);
    });
});

describe("limits", () => {
    test.each([0.001, 0, -1, NaN, 0.1 + 0.2])("%s CPUs are refused", (cpus) => {
        expect(checkContainerLimits({ cpus })).toHaveLength(1);
    });

    test("that the engine and its kernel don't support are refused", async () => {
        const host = mockHost({ files: { "/proc/sys/fs/nr_open": "4096\n" } });
        expect(textOf(await checkLimits({ cpus: 64, openFiles: 20000 }, ENGINE, host))).toEqual([
            "cpus: 64 is not allowed: the Docker daemon has 2 CPUs. Give a number from 0.01 to 2",
            expect.stringMatching(/^openFiles: 20000 is not allowed: this host's kernel allows 4096/),
        ]);
        expect(await checkLimits({ cpus: 2, openFiles: 4096 }, ENGINE, host)).toEqual([]);
        expect(await checkLimits({ openFiles: 20000 }, ENGINE)).toEqual([]);
    });

    test("without an effect are named: those that are set, and that the engine can't limit", () => {
        const limits = { memory: 512, cpus: 1, openFiles: 4096 };
        expect(limitsWithoutEffect(limits, ENGINE)).toEqual([]);
        const none = { ...ENGINE, limitsMemory: false, limitsCpus: false, hasControlGroups: false };
        expect(limitsWithoutEffect(limits, none)).toEqual(["memory", "cpus"]);
        expect(limitsWithoutEffect(limits, { ...none, limitsCpus: true })).toEqual(["memory"]);
        expect(limitsWithoutEffect({ openFiles: 4096 }, none)).toEqual([]);
    });

    test("of CPUs are refused where control groups lack them, and the engine would refuse the container", async () => {
        const undelegated = { ...ENGINE, limitsCpus: false };
        expect(limitsWithoutEffect({ cpus: 1 }, undelegated)).toEqual([]);
        expect(textOf(await checkLimits({ cpus: 1 }, undelegated))).toEqual([
            expect.stringMatching(/^cpus: 1 is not allowed: .* delegate the controller cpu/),
        ]);
        expect(await checkLimits({ memory: 512 }, undelegated)).toEqual([]);
        expect(await checkLimits({ cpus: 1 }, { ...undelegated, hasControlGroups: false })).toEqual([]);
    });
});
