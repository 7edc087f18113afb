import type Docker from "dockerode";
import type { StoreHost } from "../../../../components/args/hostArgs";
import { DOCKER_TYPES, type StackState, type StateResource } from "../../../../tools/pulumi/stackState";
import { refuseLivingHosts } from "../../../../tools/stack/movedHosts";

const host = (name: string, dockerHost: string): StoreHost => ({ name, dockerHost, address: "" });

const provider = (name: string, dockerHost: string): StateResource => ({
    urn: `urn:pulumi:prod::store::pulumi:providers:docker::store-host-${name}`,
    type: "pulumi:providers:docker",
    inputs: { host: dockerHost } as StateResource["inputs"],
});

const volumeOn = (name: string, volume: string) => ({
    urn: `urn:pulumi:prod::store::${DOCKER_TYPES.volume}::store-node1-drive1`,
    type: DOCKER_TYPES.volume,
    provider: `urn:pulumi:prod::store::pulumi:providers:docker::store-host-${name}::1b2c`,
    inputs: { name: volume },
});

const engine = (id: string, ...volumes: string[]) =>
    ({
        info: () => Promise.resolve({ ID: id }),
        listVolumes: () => Promise.resolve({ Volumes: volumes.map((Name) => ({ Name })) }),
    }) as unknown as Docker;

const STATE: StackState = {
    resources: [provider("a", "ssh://a"), provider("b", "ssh://b"), volumeOn("a", "drive-a"), volumeOn("b", "drive-b")],
    pending: [],
};

/** The config names these hosts, and at `ssh://b` this engine answers. */
const check = (now: StoreHost[], former: Docker | undefined, current: Docker) =>
    refuseLivingHosts(
        {
            engines: [
                { name: "a", command: "", docker: engine("A", "drive-a") },
                { name: "b", command: "", docker: current },
            ],
            hosts: now,
        },
        STATE,
        ({ dockerHost }) =>
            dockerHost === "ssh://b" && former !== undefined
                ? Promise.resolve(former)
                : Promise.reject(new Error("no answer")),
    );

const MOVED = [host("a", "ssh://a"), host("b", "ssh://new")];

describe("a host that gets another machine's address", () => {
    test("is refused while its former machine answers and has the data", async () => {
        await expect(check(MOVED, engine("B", "drive-b", "other"), engine("N"))).rejects.toThrow(
            /^hosts\[1\]\.dockerHost: "ssh:\/\/new" is another machine than the one that host b was at, ssh:\/\/b\.[^]*\n {4}drive-b\n[^]*set the key back/,
        );
    });

    test.each<[string, Docker | undefined, Docker]>([
        ["its former machine is gone", undefined, engine("N")],
        ["its former machine has none of the data", engine("B", "other"), engine("N")],
        ["it is the same Docker daemon, reached in another way", engine("B", "drive-b"), engine("B", "drive-b")],
    ])("is accepted: %s", async (_, former, current) => {
        await expect(check(MOVED, former, current)).resolves.toBeUndefined();
    });

    test("nothing is asked if no host has moved", async () => {
        const same = [host("a", "ssh://a"), host("b", "ssh://b")];
        await expect(check(same, engine("B", "drive-b"), engine("N"))).resolves.toBeUndefined();
    });
});
