import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreHost } from "../../components";
import { STORE_COMPONENT } from "../../config/stackConfig";
import { fileNamesHosts, hostOf, hostsInState, hostsOfStack, isOn } from "../../tools/hosts/stackHosts";
import { connectToHost, enginesOfHosts } from "../../tools/machine/stackEngines";
import type { StateResource } from "../../tools/pulumi/stackState";
import { withMovedHosts } from "../../tools/update/movedHosts";

const FOLDER = mkdtempSync(join(tmpdir(), "stack-hosts-"));

afterAll(() => rmSync(FOLDER, { recursive: true }));

const HOSTS: StoreHost[] = ["a", "b"].map((name, place) => ({
    name,
    dockerHost: `unix://${join(FOLDER, `${name}.sock`)}`,
    address: `10.0.0.${place + 1}`,
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
        expect(changed.filter((_, place) => place !== 2)).toEqual(resources.filter((_, place) => place !== 2));
        expect(JSON.stringify(changed[2])).toContain('"outputs":{"host":"ssh://newer"}');
    });
});

describe("the engines of the hosts", () => {
    const accepted: Socket[] = [];
    let hanging: Server;

    beforeAll(async () => {
        hanging = createServer((socket) => accepted.push(socket));
        await new Promise<void>((resolve) => hanging.listen(join(FOLDER, "hanging.sock"), resolve));
    });

    afterAll(async () => {
        accepted.forEach((socket) => socket.destroy());
        await new Promise((resolve) => hanging.close(resolve));
    });

    test("that don't answer are all named, and nothing is changed", async () => {
        await expect(enginesOfHosts(HOSTS)).rejects.toThrow(
            /^host a: Docker doesn't answer at unix:.*a\.sock .*\nhost b: .*\n.*Nothing was changed/,
        );
    });

    test("that are known to be down are not asked", async () => {
        await expect(enginesOfHosts(HOSTS, ["a"])).rejects.toThrow(/^host b: .*\nEvery host must answer/);
        const { engines, hosts } = await enginesOfHosts(HOSTS, ["a", "b"]);
        expect(engines).toEqual([]);
        expect(hosts).toEqual(HOSTS);
    });

    test("that accept a connection and send nothing are given up", async () => {
        const host = { name: "c", dockerHost: `unix://${join(FOLDER, "hanging.sock")}`, address: "10.0.0.3" };
        await expect(connectToHost(host, 0.1)).rejects.toThrow(/hanging\.sock within 0\.1 s/);
    });
});
