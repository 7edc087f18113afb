import type Docker from "dockerode";
import { refuseWithoutIpv6 } from "../../../../components/requirements/ipv6Probe";

const NETWORK = { name: "store-public", propertyPath: "publicIpv6Subnet", subnet: "fd12::/64" };

/** The result of the test, and the containers that it tried. */
async function resultOf(present: { name: string; subnet: string }[], refusal?: string) {
    const tried: Docker.ContainerCreateOptions[] = [];
    const engine = {
        ipv6Networks: () => Promise.resolve(present),
        oneShots: {
            try: (_owner: string, options: Docker.ContainerCreateOptions) => {
                tried.push(options);
                return Promise.resolve(refusal);
            },
        },
    };
    const result = await refuseWithoutIpv6("HaproxyFrontEnd", NETWORK, { image: "i", owner: "store" }, engine).then(
        () => undefined,
        (error: unknown) => String(error),
    );
    return { tried: tried.length, result };
}

test("a kernel without IPv6 is refused before the network is replaced", async () => {
    expect(await resultOf([{ name: "store-public", subnet: "fd11::/64" }], "ends with exit code 1")).toEqual({
        tried: 1,
        result: expect.stringContaining(
            `publicIpv6Subnet: "fd12::/64" can't be used: the kernel of the Docker host has no IPv6`,
        ) as string,
    });
});

test("a kernel with IPv6 is accepted; if the network exists already, nothing is tried", async () => {
    expect(await resultOf([])).toEqual({ tried: 1, result: undefined });
    expect(await resultOf([NETWORK], "not tried")).toEqual({ tried: 0, result: undefined });
});
