import "../../fakes/noHostAsked";
import { ObjectStore, type ObjectStoreArgs } from "../../../../components";
import { DockerEngine } from "../../../../components/docker/engine";
import { checkDeployment } from "../../../../components/deployment";
import { partsOf } from "../../../../components/settings/deploymentSettings";
import { requirementsOf } from "../../../../components/settings/requirements";
import { problemsWith } from "../../fakes/askedEngines";
import { mockEngine, settled, type RegisteredResource } from "../../fakes/mockEngine";
import { ARGS, HOSTS } from "../../fakes/threeHosts";

const problemsOf = (args: ObjectStoreArgs) =>
    checkDeployment(args, partsOf("store", args)).problems.map(
        ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
    );

describe("a store over three hosts", () => {
    let resources: RegisteredResource[];

    beforeAll(async () => {
        resources = await mockEngine();
        new ObjectStore("store", { ...ARGS, nodeCount: 6, allowDrivesOnOneDevice: true, egress: true });
        await settled(resources);
    });

    const ofType = (type: string) => resources.filter((resource) => resource.type === type);
    const named = (type: string, name: string) => ofType(type).find((resource) => resource.name === name)?.inputs ?? {};

    test("has one provider for each host, named by the host", () => {
        expect(ofType("pulumi:providers:docker").map(({ name, inputs }) => [name, inputs["host"]])).toEqual(
            HOSTS.map(({ name, dockerHost }) => [`store-host-${name}`, dockerHost]),
        );
    });

    test("has the images and the network for outgoing connections on each host", () => {
        const images = ofType("docker:index/remoteImage:RemoteImage").map(({ name }) => name);
        expect(images.filter((name) => name.startsWith("store-cluster")).sort()).toEqual(
            ["a", "b", "c"].map((host) => `store-cluster-image-${host}`),
        );
        expect(ofType("docker:index/network:Network").map(({ name }) => name)).toEqual(
            expect.arrayContaining(["a", "b", "c"].map((host) => `store-cluster-egress-${host}`)),
        );
    });

    test("has one internal network, which is encrypted", () => {
        expect(named("docker:index/network:Network", "store-cluster-network")).toMatchObject({
            driver: "overlay",
            attachable: true,
            internal: true,
            options: { encrypted: "" },
        });
    });

    test("has a proxy on each host, with an address of its own, and one certificate for all", () => {
        const proxies = ofType("docker:index/container:Container").filter(({ name }) =>
            /^store-front-end-[abc]$/.test(name),
        );
        expect(proxies.map(({ inputs }) => inputs["name"]).sort()).toEqual([
            "store-a-proxy",
            "store-b-proxy",
            "store-c-proxy",
        ]);
        expect(ofType("tls:index/locallySignedCert:LocallySignedCert").map(({ name }) => name)).toEqual([
            "store-front-end-certificate",
        ]);
    });
});

test("durations are written as the engine reports them: otherwise every update finds a difference", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", ARGS);
    await settled(resources);
    const durations = resources.flatMap(({ inputs }) => {
        const check = inputs["healthcheck"] as { [key: string]: unknown } | undefined;
        return check === undefined ? [] : [check["interval"], check["timeout"], check["startPeriod"]];
    });
    expect(durations.length).toBeGreaterThan(12);
    expect(durations.filter((text) => !/^(\d+m)?[1-5]?\d(\.\d+)?s$/.test(String(text)))).toEqual([]);
});

test("the overlay isn't encrypted if that is allowed", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", { ...ARGS, unencryptedOverlay: true });
    await settled(resources);
    expect(resources.find(({ name }) => name === "store-cluster-network")?.inputs["options"]).toEqual({});
});

describe("requirements on the hosts", () => {
    test("each has those of its own nodes, and of a proxy if it has one", async () => {
        await mockEngine();
        const args = { ...ARGS, drivePaths: [["/mnt/1"], ["/mnt/2"], ["/mnt/3"]], frontEndHosts: ["c"] };
        const names = HOSTS.map(({ name }) => name);
        const then = requirementsOf({ ...checkDeployment(args, partsOf("store", args)).planned, hosts: names });
        const taken = ["/mnt/1", "/mnt/2", "/mnt/3"].map((path) => ({ path, container: "other" }));
        const answers: Partial<DockerEngine> = {
            folderMounts: () => Promise.resolve(taken),
            publishedPorts: () => Promise.resolve([{ container: "other", address: "0.0.0.0", port: 443 }]),
        };
        const problems = await problemsWith(then, new Map(names.map((name) => [name, answers])));
        expect(problems).toEqual([
            expect.stringMatching(/^drivePaths\[0\]\[0\]: host a: "\/mnt\/1" /),
            expect.stringMatching(/^drivePaths\[1\]\[0\]: host b: "\/mnt\/2" /),
            expect.stringMatching(/^drivePaths\[2\]\[0\]: host c: "\/mnt\/3" /),
            expect.stringMatching(/^httpsPort: host c: 443 /),
        ]);
    });

    test("the number of a host's proxy doesn't depend on the other proxies", () => {
        const { proxies } = partsOf("store", { ...ARGS, frontEndHosts: ["c", "b"] });
        expect(proxies.map(({ host, args }) => [host, args.proxyNumber])).toEqual([
            ["c", 3],
            ["b", 2],
        ]);
    });

    test("the same folder on two hosts is two drives", async () => {
        await mockEngine();
        const drivePaths = [["/mnt/disk"], ["/mnt/disk"], ["/mnt/disk"]];
        expect(problemsOf({ ...ARGS, drivePaths })).toEqual([]);
    });
});

test.each<[Partial<ObjectStoreArgs>, RegExp]>([
    [{ nodeCount: 4 }, /allowDrivesOnOneDevice: 2 drives of one host would be on one device/],
    [{ nodeCount: 4, allowDrivesOnOneDevice: true }, /hosts: without host "a" pool 1 reads but doesn't write/],
    [{ dockerHost: "unix:///docker.sock" }, /dockerHost: and hosts exclude each other/],
    [{ proxyNumber: 2 }, /proxyNumber: and hosts exclude each other/],
    [{ frontEndHosts: ["d"] }, /frontEndHosts\[0\]: "d" is not the name of a host/],
    [{ hosts: undefined, unencryptedOverlay: true }, /unencryptedOverlay: needs hosts/],
    [{ hosts: undefined, watchdog: true }, /watchdog: true needs hosts/],
    [{ unreachableHosts: ["d"] }, /unreachableHosts\[0\]: "d" is not the name of a host/],
    [{ unreachableHosts: ["a", "b", "c"] }, /unreachableHosts: names every host/],
    [{ nodeCount: 1e10 }, /nodeCount: 10000000000 is not allowed/],
    [{ hosts: [], nodeCount: 1 }, /hosts: 0 hosts are not allowed/],
])("%j is refused", async (args, message) => {
    await mockEngine();
    expect(problemsOf({ ...ARGS, ...args })).toContainEqual(expect.stringMatching(message));
});

test("of hosts that are all down nothing is asked, and a mistake in a bucket doesn't hide what concerns the data", () => {
    const planned = (args: Partial<ObjectStoreArgs>) => {
        const all = { ...ARGS, ...args };
        return checkDeployment(all, partsOf("store", all)).planned;
    };
    expect(planned({ unreachableHosts: ["a", "b", "c"] }).clusters).toEqual([]);
    const asked = (args: Partial<ObjectStoreArgs>) => requirementsOf(planned(args)).length;
    expect(asked({ buckets: { "-": {} } })).toBe(asked({ buckets: { valid: {} } }));
    expect(asked({ nodeCount: 0 })).toBeLessThan(asked({}));
});

test("a layout that doesn't survive the loss of a host can be allowed", async () => {
    await mockEngine();
    const args = { ...ARGS, nodeCount: 4, allowDrivesOnOneDevice: true, allowSinglePointOfFailure: true };
    expect(problemsOf(args)).toEqual([]);
});
