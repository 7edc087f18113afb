import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "../../../../components/docker/engine";
import type { EngineNetwork } from "../../../../components/docker/model";
import { existingProxy } from "../../../../components/proxy/existingProxy";
import type { ProxySettings } from "../../../../components/settings/proxySettings";
import { createdNetworks, type CreatedNetworks } from "../../../../components/proxy/joinedNetworks";
import { hasContainer } from "../../../../components/requirements/stackState";
import { LABELS } from "../../../../components/naming/labels";
import { valueOf } from "../../fakes/mockEngine";

const [OWN, MEDIA] = [{ name: "prod-nodes" }, { name: "prod-media-nodes" }];

const settings = (others: object = {}) =>
    ({
        frontEndName: "edge",
        dockerHost: undefined,
        publicSubnet: pulumi.output("10.200.9.0/24"),
        nodeNetworks: pulumi.output([OWN, MEDIA]),
        backendNetworks: pulumi.output([OWN, MEDIA]),
        ...others,
    }) as unknown as ProxySettings;

/** A digest in which two containers differ if their networks do. */
const digestWith = ({ networks }: CreatedNetworks) => {
    const names = networks.map(({ name }) => name).join(" ");
    return pulumi.output(`digest of ${names}`);
};

/** A proxy that was created for a store that is gone by now, besides the first one. */
const PROXY = {
    name: "edge-proxy",
    labels: {
        [LABELS.stack]: "project/stack",
        [LABELS.inputs]: "digest of prod-nodes prod-logs-nodes",
        [LABELS.nodeNetworks]: "prod-nodes=,prod-logs-nodes=",
    },
};

const PUBLIC = { name: "edge-public", subnet: "10.200.9.0/24" };

describe("the networks that a proxy is created with, beside an existing one", () => {
    const connect = jest.spyOn(DockerEngine, "connect");

    afterAll(() => connect.mockRestore());

    const engineHas = (answers: {
        networks?: object[];
        ipv6Networks?: object[];
        containers?: () => Promise<object[]>;
    }) => {
        const { networks = [PUBLIC], ipv6Networks = [], containers = () => Promise.resolve([PROXY]) } = answers;
        const engine = {
            containers,
            networks: () => Promise.resolve(networks as EngineNetwork[]),
            ipv6Networks: () => Promise.resolve(ipv6Networks as EngineNetwork[]),
        };
        connect.mockResolvedValue(engine as unknown as DockerEngine);
    };
    const created = (others?: object) => valueOf(createdNetworks(settings(others), false, digestWith));

    test("are those of the existing one, which stays", async () => {
        engineHas({});
        expect(await created()).toMatchObject({
            kept: true,
            networks: [OWN, { name: "prod-logs-nodes" }],
        });
    });

    test.each([
        ["IPv4", { networks: [{ ...PUBLIC, subnet: "10.200.10.0/24" }] }],
        ["IPv6", { ipv6Networks: [{ ...PUBLIC, subnet: "fd00:1::/64" }] }],
    ])(
        "are all that exist, if its own network gets another %s subnet: Pulumi replaces both",
        async (_name, answers) => {
            engineHas(answers);
            const others = { publicIpv6: { subnet: "fd00:2::/64", gateway: "fd00:2::1", publishAddress: "::" } };
            expect(await created(others)).toMatchObject({ kept: false, networks: [OWN, MEDIA] });
        },
    );

    test("don't depend on the subnets of an existing network that is used", async () => {
        engineHas({ networks: [{ ...PUBLIC, name: "shared", subnet: "10.1.0.0/24" }] });
        expect(await created({ publicNetworkName: "shared" })).toMatchObject({ kept: true });
    });

    test.each([
        [{ [LABELS.stack]: "project/stack" }, undefined],
        [{ [LABELS.stack]: "shop/prod" }, false],
        [{ [LABELS.stack]: "shop/prod" }, true],
        [{ [LABELS.stack]: "shop/prod" }, undefined],
    ])("of a proxy with the labels %j, of which the state says %j", async (labels, isInState) => {
        const proxy = { ...PROXY, labels };
        engineHas({ containers: () => Promise.resolve([proxy]) });
        const wanted = { frontEndName: "edge", stackName: "project/stack", ofClients: undefined };
        const found = await existingProxy(
            () => DockerEngine.connect(),
            wanted,
            () => Promise.resolve(isInState),
        );
        if (isInState === undefined && Object.values(labels).includes("shop/prod")) {
            expect(found).toEqual({
                failure: expect.stringMatching(/of the stack shop\/prod, .* can't be read/) as string,
            });
            return;
        }
        expect(found).toEqual(
            isInState === false
                ? {
                      failure:
                          'the name "edge" is that of the proxy of the stack shop/prod (container edge-proxy): give this one another',
                  }
                : { proxy },
        );
    });

    test("of a proxy that the state has under any stack's name", () => {
        const state = {
            "urn:pulumi:prod::shop::docker:index/container:Container::edge": {
                type: "docker:index/container:Container",
                outputs: { name: "edge-proxy" },
            },
            "urn:pulumi:prod::shop::docker:index/volume:Volume::edge": {
                type: "docker:index/volume:Volume",
                outputs: { name: "edge-configure" },
            },
        };
        expect(["edge-proxy", "edge-configure"].map((name) => hasContainer(state, name))).toEqual([true, false]);
    });

    test("aren't decided if the engine fails: the proxy would be replaced, or created a second time", async () => {
        const refusal = "edge-proxy: it isn't known whether it exists and belongs to this stack: ";
        const advice = ". The proxy stays as it was: run the same command again";
        engineHas({ containers: () => Promise.reject(new Error("(HTTP code 500) server error - i/o timeout ")) });
        expect((await created()).failure).toBe(`${refusal}(HTTP code 500) server error - i/o timeout${advice}`);
        connect.mockRejectedValue(new Error("Docker doesn't answer at unix:///docker.sock"));
        expect((await created()).failure).toBe(`${refusal}Docker doesn't answer at unix:///docker.sock${advice}`);
    });
});
