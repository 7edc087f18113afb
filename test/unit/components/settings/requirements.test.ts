import * as pulumi from "@pulumi/pulumi";
import { checkProxy, type ProxyArgsWithoutCluster } from "../../../../components/settings/proxySettings";
import type { DockerEngine } from "../../../../components/docker/engine";
import type { StoreContentsArgs } from "../../../../components/args/contentsArgs";
import { LABELS } from "../../../../components/naming/labels";
import type { LaterRequirements, Requirements } from "../../../../components/requirements/requirement";
import { weakBucketsAreNamed } from "../../../../components/requirements/weakBuckets";
import { requirementsOf } from "../../../../components/settings/requirements";
import { problemsWith } from "../../fakes/askedEngines";

jest.mock("../../../../components/requirements/weakBuckets", () => ({
    weakBucketsAreNamed: jest.fn(() => () => Promise.resolve([])),
}));

test("a warning of weak durability leaves out the buckets whose durability the args say", () => {
    const buckets = { fast: { durability: "relaxed" }, safe: { durability: "strict" }, old: {} };
    const at = (propertyPath: string) => propertyPath;
    requirementsOf({ clusters: [{ component: "store", cluster: {}, at, contents: { buckets } }], proxies: [] });
    expect(weakBucketsAreNamed).toHaveBeenCalledWith(expect.objectContaining({ clusterName: "store" }), [
        "fast",
        "safe",
    ]);
});

describe("the client's image", () => {
    const problemsOf = (buckets: StoreContentsArgs["buckets"], engine: Partial<DockerEngine>) => {
        const at = (propertyPath: string) => propertyPath;
        const clusters = [{ component: "store", cluster: {}, at, contents: { buckets } }] as const;
        const haveImage = jest.fn(() => Promise.resolve("minio/mc can't be pulled"));
        const problems = problemsWith(
            requirementsOf({ clusters, proxies: [] }),
            new Map([[undefined, { haveImage, ...engine }]]),
        );
        return problems.then((lines) => ({ lines, haveImage }));
    };

    test("is there before a store with buckets is created", async () => {
        const { lines, haveImage } = await problemsOf({ logs: {} }, {});
        expect(lines).toEqual([
            expect.stringMatching(/^clientImage: the client's image minio\/mc can't be pulled\. Pull/),
        ]);
        expect(haveImage).toHaveBeenCalledWith(expect.stringContaining("minio/mc:"), true);
        const pulled = await problemsOf({ logs: {} }, { haveImage: () => Promise.resolve(undefined) });
        expect(pulled.lines).toEqual([]);
    });

    test("isn't asked for without contents, or if there is data of the store", async () => {
        expect((await problemsOf({}, {})).haveImage).not.toHaveBeenCalled();
        const labels = {
            ...{ [LABELS.cluster]: "store", [LABELS.component]: "store", [LABELS.drive]: "1" },
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        };
        const volumes = () => Promise.resolve([{ name: "store-pool1-node1-drive1", labels, hostPath: undefined }]);
        expect((await problemsOf({ logs: {} }, { volumes })).haveImage).not.toHaveBeenCalled();
    });
});

describe("hostnames, ports and labels that other resources provide", () => {
    const later = (value: string) => pulumi.output(Promise.resolve(value));
    const at = (propertyPath: string) => propertyPath;
    const ofProxy = (args: ProxyArgsWithoutCluster) =>
        requirementsOf({ clusters: [], proxies: [{ name: "edge", host: undefined, args, at }] });
    const isLater = (one: Requirements["then"][number]): one is LaterRequirements => typeof one !== "function";
    /** Publishes 80 and 443 already. */
    const taken: Partial<DockerEngine> = {
        publishedPorts: () =>
            Promise.resolve([80, 443].map((port) => ({ container: "other", address: "0.0.0.0", port }))),
    };

    test("aren't checked until they are known", async () => {
        const args = { s3Host: later("s3.example.com"), consoleHost: later("-"), httpPort: pulumi.output(0) };
        expect(checkProxy("edge", { ...args, labels: pulumi.output({ "": "" }) })).toEqual([]);
        const now = ofProxy(args).filter((one) => !isLater(one));
        expect(await problemsWith(now, new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpsPort: 443 /),
        ]);
    });

    test("are checked together with all others once they are known", async () => {
        const problems = await problemsWith(
            ofProxy({
                s3Host: later("s3.example.com"),
                consoleHost: "S3.example.com",
                httpPort: pulumi.output(0),
                httpsPort: pulumi.output(8443),
                labels: { "-": later("x") },
                services: [
                    { name: "app", hostname: later("-"), networkName: "app", servers: [{ host: "a", port: 1 }] },
                ],
            }),
            new Map([[undefined, taken]]),
        );
        expect(problems.map((line) => line.split(": ")[0])).toEqual([
            "services[0].hostname",
            "consoleHost",
            'labels["-"]',
            "httpPort",
        ]);
    });

    test("are compared with the engine once they are known", async () => {
        const args = { s3Host: "s3.example.com", consoleHost: "console.example.com", httpPort: pulumi.output(80) };
        expect(await problemsWith(ofProxy({ ...args, httpsPort: 8443 }), new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpPort: 80 /),
        ]);
    });

    test("what follows from other args is asked although one has a problem: all is said at once", async () => {
        const args = { s3Host: "s3.example.com", consoleHost: "console.example.com", httpPort: 0 };
        const problems = checkProxy("edge", args);
        const proxies = [{ name: "edge", host: undefined, args, at, problems }];
        expect(problems.map(({ propertyPath }) => propertyPath)).toEqual(["httpPort"]);
        expect(await problemsWith(requirementsOf({ clusters: [], proxies }), new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpsPort: 443 /),
        ]);
    });

    test("secret ones aren't shown when they are refused", async () => {
        const secret = pulumi.secret("hunter2 secret");
        const problems = await problemsWith(
            ofProxy({ s3Host: secret, consoleHost: secret }),
            new Map([[undefined, {}]]),
        );
        expect(problems).toHaveLength(3);
        expect(JSON.stringify(problems)).not.toContain("hunter2");
        expect(problems[0]).toContain("[secret] is not a hostname");
    });

    test("plain ones are checked at once, and not later", () => {
        expect(ofProxy({ s3Host: "s3.example.com", consoleHost: "console.example.com" }).filter(isLater)).toEqual([]);
    });

    test("labels of a cluster are checked once they are known", async () => {
        const cluster = { labels: { team: later("storage"), "-": later("x") } };
        const ofLabels = requirementsOf({ clusters: [{ component: "store", cluster, at }], proxies: [] }).filter(
            (one) => isLater(one) && one.before.length === 0,
        );
        expect(await problemsWith(ofLabels, new Map([[undefined, {}]]))).toEqual([
            expect.stringMatching(/^labels\["-"\]: /),
        ]);
    });
});
