import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreHost } from "../../../../components";
import { STORE_COMPONENT } from "../../../../config/stackConfig";
import {
    fileNamesHosts,
    fileNamesSsh,
    hostOf,
    hostsInState,
    hostsOfStack,
    isOn,
} from "../../../../tools/stack/stackHosts";
import { carryOut, readSwarms } from "../../../../tools/hosts/swarmMembership";
import { membershipPlan } from "../../../../tools/hosts/membershipPlan";
import { enginesOfHosts, refuseOtherSwarm } from "../../../../tools/stack/stackEngines";
import type { StateResource } from "../../../../tools/pulumi/stackState";
import { withMovedHosts } from "../../../../tools/stack/movedHosts";
import { hostsNamed } from "../../fakes/mockSwarm";
import { VirtualClock } from "../../fakes/virtualClock";
import { VirtualSwarm } from "../../fakes/virtualSwarm";

const FOLDER = mkdtempSync(join(tmpdir(), "stack-hosts-"));

afterAll(() => rmSync(FOLDER, { recursive: true }));

const HOSTS: StoreHost[] = ["a", "b"].map((name, index) => ({
    name,
    dockerHost: `unix://${join(FOLDER, `${name}.sock`)}`,
    address: `10.0.0.${index + 1}`,
}));

describe("a stack's config", () => {
    const configOf = (value: string | undefined, secret = false) =>
        Object.assign((key: string) => (secret || key !== "hosts" ? undefined : value), { isSecret: () => secret });
    const decrypted = () => Promise.resolve(JSON.stringify(HOSTS));

    test("has the hosts, or none, also as a secret", async () => {
        expect(await hostsOfStack(configOf(JSON.stringify(HOSTS)), decrypted, "prod")).toEqual(HOSTS);
        expect(await hostsOfStack(configOf(undefined), decrypted, "prod")).toBeUndefined();
        expect(await hostsOfStack(configOf(undefined, true), decrypted, "prod")).toEqual(HOSTS);
    });

    test("with another value is refused", async () => {
        await expect(hostsOfStack(configOf('["a"]'), decrypted, "prod")).rejects.toThrow(
            "the config of stack prod is refused",
        );
    });

    test.each([
        ["names hosts", "config:\n  object-store:hosts:\n    - name: a\n", true],
        ["has encrypted hosts", "config:\n  object-store:hosts:\n    secure: v1:x\n", true],
        ["names none", "config:\n  object-store:s3Host: hosts\n", false],
        ["is empty", "", false],
        ["has no config", "config:\n", false],
    ])("a file that %s", (_, text, expected) => {
        writeFileSync(join(FOLDER, "Pulumi.prod.yaml"), text);
        expect(fileNamesHosts("prod", FOLDER)).toBe(expected);
        expect(fileNamesHosts("nowhere", FOLDER)).toBe(false);
    });

    test.each([
        ["a host by ssh", "config:\n  object-store:hosts:\n    - {name: a, dockerHost: ssh://a}\n", true],
        ["encrypted hosts", "config:\n  object-store:hosts:\n    secure: v1:x\n", true],
        ["its only Docker daemon by ssh", "config:\n  docker:host: ssh://a\n", true],
        ["hosts by TCP", "config:\n  object-store:hosts:\n    - {name: a, dockerHost: tcp://ssh:2376}\n", false],
        ["none", "config:\n  object-store:s3Host: s3.localhost\n", false],
    ])("a file that names %s", (_, text, expected) => {
        writeFileSync(join(FOLDER, "Pulumi.prod.yaml"), text);
        expect(fileNamesSsh("prod", FOLDER)).toBe(expected);
        expect(fileNamesSsh("nowhere", FOLDER)).toBe(false);
    });
});

describe("a resource in the state", () => {
    const providerUrn = (name: string) => `urn:pulumi:prod::object-store::Store$pulumi:providers:docker::${name}`;
    const resource = (provider?: string): StateResource => ({
        urn: "urn:pulumi:prod::object-store::docker:index/volume:Volume::store",
        type: "docker:index/volume:Volume",
        ...{ provider },
    });

    test.each([
        [`${providerUrn(`${STORE_COMPONENT}-host-rack1-host-b`)}::4c1f`, "rack1-host-b"],
        ["urn:pulumi:prod::object-store::pulumi:providers:docker::default_5_2_0::4c1f", undefined],
        [undefined, undefined],
    ])("with the provider %s", (provider, host) => {
        expect(hostOf(resource(provider))).toBe(host);
        expect(isOn({ name: host }, resource(provider))).toBe(true);
        expect(isOn({ name: "other" }, resource(provider))).toBe(false);
        expect(isOn({}, resource(provider))).toBe(host === undefined);
    });

    test("that is a host's provider has the host as the last update reached it", () => {
        const provider = (name: string, inputs: object): StateResource => ({
            urn: providerUrn(name),
            type: "pulumi:providers:docker",
            inputs,
        });
        const resources = [
            provider("default_5_2_0", { version: "5.2.0" }),
            provider(`${STORE_COMPONENT}-host-a`, { host: "ssh://a" }),
            provider(`${STORE_COMPONENT}-host-b`, { host: "tcp://b:2376", certPath: "/certs" }),
            resource(`${providerUrn(`${STORE_COMPONENT}-host-a`)}::4c1f`),
        ];
        expect(hostsInState(resources)).toEqual([
            { name: "a", dockerHost: "ssh://a", certPath: undefined, address: "" },
            { name: "b", dockerHost: "tcp://b:2376", certPath: "/certs", address: "" },
        ]);
        const [a, b] = hostsInState(resources) as [StoreHost, StoreHost];
        expect(withMovedHosts(resources, [b, a])).toBeUndefined();
        const newer = { ...b, dockerHost: "ssh://newer", certPath: undefined };
        const { moved, resources: changed } = withMovedHosts(resources, [a, newer]) ?? { resources: [] };
        expect(moved).toEqual([newer]);
        expect(hostsInState(changed)).toEqual([a, newer]);
        expect(changed.filter((_, index) => index !== 2)).toEqual(resources.filter((_, index) => index !== 2));
        expect(JSON.stringify(changed[2])).toContain('"outputs":{"host":"ssh://newer"}');
    });
});

describe("the engines of the hosts", () => {
    test("that don't answer are all named, with the setting to correct, and nothing is changed", async () => {
        await expect(enginesOfHosts(HOSTS)).rejects.toThrow(
            /^host a: Docker doesn't answer at unix:.*a\.sock .*, or correct the dockerHost of host a\nhost b: .*\n.*Nothing was changed/,
        );
    });

    test("that are known to be down are not asked", async () => {
        await expect(enginesOfHosts(HOSTS, ["a"])).rejects.toThrow(/^host b: .*\nEvery host must answer/);
        const { engines, hosts } = await enginesOfHosts(HOSTS, ["a", "b"]);
        expect(engines).toEqual([]);
        expect(hosts).toEqual(HOSTS);
    });

    test("that are no swarm are refused, before the state is compared with the engines of other hosts", async () => {
        const hosts = hostsNamed("abc");
        const swarm = new VirtualSwarm();
        const engineOf = async (host: StoreHost) => ({
            name: host.name,
            docker: await swarm.engine(host),
            command: "",
        });
        const engines = await Promise.all(hosts.slice(1).map(engineOf));
        await expect(refuseOtherSwarm({ engines, hosts })).rejects.toThrow(
            /^the hosts are no swarm for this stack:\n {2}- hosts\[1\]: .*npm run hosts -- join.*\n {2}- hosts\[2\]: /,
        );
    });

    test("that are one swarm are accepted, but not if an address leads to another host", async () => {
        const hosts = hostsNamed("abc");
        const swarm = new VirtualSwarm();
        const dependencies = {
            engine: (host: StoreHost) => swarm.engine(host),
            print: () => undefined,
            clock: new VirtualClock(),
        };
        await carryOut(membershipPlan(hosts, await readSwarms(hosts, dependencies.engine)), dependencies);
        const engineOf = async (host: StoreHost, at = host) => ({
            name: host.name,
            docker: await swarm.engine(at),
            command: "",
        });
        const [a, b, c] = hosts as [StoreHost, StoreHost, StoreHost];
        const right = await Promise.all([engineOf(a), engineOf(b), engineOf(c)]);
        await expect(refuseOtherSwarm({ engines: right, hosts })).resolves.toBeUndefined();
        const wrong = await Promise.all([engineOf(a), engineOf(b, a), engineOf(c)]);
        await expect(refuseOtherSwarm({ engines: wrong, hosts })).rejects.toThrow(/hosts\[1\]/);
    });

    test("are asked once each, before an update is prepared", async () => {
        const asked: (string | undefined)[] = [];
        const engine = createServer(({ url }, response) => response.end(asked.push(url).toString()));
        await new Promise<void>((resolve) => engine.listen(join(FOLDER, "answering.sock"), resolve));
        try {
            const dockerHost = `unix://${join(FOLDER, "answering.sock")}`;
            const { engines } = await enginesOfHosts([{ name: "d", dockerHost, address: "10.0.0.4" }]);
            expect(engines).toMatchObject([{ name: "d", command: `docker -H ${dockerHost}` }]);
            expect(asked).toEqual(["/_ping"]);
        } finally {
            engine.closeAllConnections();
            await new Promise((resolve) => engine.close(resolve));
        }
    });
});
