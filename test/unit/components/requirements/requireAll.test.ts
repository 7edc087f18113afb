import * as pulumi from "@pulumi/pulumi";
import { EngineCache } from "../../../../components/requirements/engineCache";
import { limitsAreAccepted } from "../../../../components/requirements/limitChecks";
import { requireAll } from "../../../../components/requirements/requireAll";
import type { LaterRequirements, Requirement } from "../../../../components/requirements/requirement";
import { readStackConfig } from "../../../../config/stackConfig";
import { refuse } from "../../../../components/checks/refusal";
import { mockEngine, valueOf } from "../../fakes/mockEngine";

// A refused output is several rejected promises; a test can await only one of them.
jest.mock("../../../../components/checks/refusal", () => ({
    ...jest.requireActual<object>("../../../../components/checks/refusal"),
    refuse: jest.fn(),
}));

jest.mock("../../../../components/docker/engine", () => ({
    DockerEngine: {
        connect: () => ({
            local: false,
            differsFromProvider: () => Promise.resolve(undefined),
            whyUnsupported: () => Promise.resolve(undefined),
            hasStartInterval: () => Promise.resolve(false),
            publishedPorts: () => Promise.resolve([]),
            networks: () => Promise.resolve([]),
            volumes: () => Promise.resolve([]),
            containers: () => Promise.resolve([]),
            imageVariables: () => Promise.resolve([]),
            imageId: () => Promise.resolve(undefined),
            info: () =>
                Promise.resolve({
                    cpus: 2,
                    dataFolder: "/",
                    rootless: false,
                    remapsUsers: false,
                    limitsMemory: false,
                    limitsCpus: true,
                    hasControlGroups: true,
                }),
        }),
    },
}));

beforeEach(() => mockEngine());

describe("values that other resources provide", () => {
    const refusedFor = (propertyPath: string): readonly Requirement[] => [
        () => Promise.resolve([{ propertyPath, reason: "is wrong" }]),
    ];
    const refusedOf = async (...known: LaterRequirements["known"][]) => {
        jest.mocked(refuse).mockReset();
        const then = known.map((one) => ({ before: [], known: one }));
        await valueOf(requireAll("StorageCluster", { first: [], then }, new EngineCache([{}])));
        return jest
            .mocked(refuse)
            .mock.calls.flatMap(([, problems]) => problems)
            .map(({ propertyPath }) => propertyPath);
    };

    test("are refused together, each problem once", async () => {
        const [one, other] = [pulumi.output(refusedFor("labels")), pulumi.output(refusedFor("s3Host"))];
        expect(await refusedOf(one, other, one)).toEqual(["labels", "s3Host"]);
        expect(jest.mocked(refuse).mock.calls.filter(([, problems]) => problems.length > 0)).toHaveLength(1);
    });

    test("are left out of a preview that doesn't know them, and the others are checked", async () => {
        const unknown = pulumi.output(pulumi.unknown) as unknown as LaterRequirements["known"];
        expect(await refusedOf(unknown)).toEqual([]);
        expect(await refusedOf(unknown, pulumi.output(refusedFor("labels")))).toEqual(["labels"]);
    });
});

test("limits that the engine can't set are warned of, and not refused", async () => {
    const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
    const limits = limitsAreAccepted(undefined, { memory: 512, cpus: 1 }, (propertyPath) => propertyPath);
    await valueOf(requireAll("StorageCluster", { first: [], then: [limits] }, new EngineCache([{}])));
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
        expect.stringMatching(/^memory: no effect, since the Docker daemon/),
    ]);
    warn.mockRestore();
});

test("every key of stack config that is unknown or refused is named as it was written", async () => {
    pulumi.runtime.setAllConfig({
        "object-store:clusterName": "x",
        "object-store:certificateFile": "x",
        "object-store:storeName": "not a name",
    });
    const refusal = await readStackConfig(new pulumi.Config("object-store")).catch((error: unknown) => error as Error);
    const { message } = refusal as Error;
    expect([...message.matchAll(/^ {2}- (\w+): is not a config key/gm)].map(([, key]) => key)).toEqual([
        "clusterName",
        "certificateFile",
    ]);
    expect(message).toContain('storeName: "not a name"');
});
