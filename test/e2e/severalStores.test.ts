import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { DockerEngine } from "../../components/docker/engine";
import { ProxyServers } from "../../components/proxyControl/proxyServers";
import { s3ClientFor } from "./harness/clients";
import { DockerHost } from "./harness/dockerHost";
import { freeSubnet } from "./harness/freeResources";
import { InterruptCheckout } from "./harness/interruptCheckout";
import { killTree } from "./harness/interruptProcessTree";
import { stackDefaults } from "./harness/stackDefaults";
import { SteadyRequests } from "./harness/steadyRequests";
import { minioStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";
import { severalStoresSuite } from "./suites/severalStores";

const minio = () => minioStore().config;

describe("several stores of MinIO behind one proxy", () =>
    severalStoresSuite({ own: minio, media: minio, logs: minio }));

describe("an update that adds or removes a store, killed between its steps and repeated", () => {
    const host = new DockerHost();
    let checkout: InterruptCheckout;
    let proxy: string;
    let config: object;

    const named = (part: string) => `${checkout.clusterName}-${part}`;
    const networks = async () => Object.keys((await host.inspect(named("proxy"))).NetworkSettings.Networks);

    /** Lets requests to the stack's own store run beside some work. None of them may fail. */
    const withoutFailure = async (work: () => Promise<void>) => {
        const client = s3ClientFor(await checkout.outputs());
        const requests = new SteadyRequests(async () => {
            await client.send(new ListBucketsCommand({}));
        });
        await work().finally(() => requests.stop());
        const { answered, failures } = await requests.stop();
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(10);
        expect((await host.inspect(named("proxy"))).Id).toBe(proxy);
    };
    const killAt = async (step: string) => {
        const { running } = await checkout.upTo(step);
        killTree(running.pid);
    };

    beforeAll(async () => {
        checkout = await InterruptCheckout.create();
        const { profile, image } = await stackDefaults(checkout.clusterName);
        config = {
            ...{
                name: "media",
                s3Host: "media.localhost",
                consoleHost: "media-console.localhost",
                retainData: false,
            },
            ...{ profile, image, allowDrivesOnOneDevice: true, subnet: await freeSubnet() },
        };
        await checkout.up();
        proxy = (await host.inspect(named("proxy"))).Id;
    }, 300_000);

    afterAll(() => checkout.remove(), 60_000);

    test("before and while the proxy loads the configuration, and while the store is waited for", async () => {
        checkout.configure({ additionalStores: JSON.stringify([config]) });
        await withoutFailure(async () => {
            await killAt(`before create container ${named("configure")}`);
            expect(await networks()).toContain(named("media-nodes"));
            await killAt(`after start container ${named("configure")}`);
            const waiting = checkout.startUp();
            const knowsMedia = () => mediaStates(named("media-nodes")).then((states) => states.includes("DOWN"));
            await waitUntil("the proxy has the store's servers", knowsMedia);
            killTree(waiting.pid);
            await checkout.up();
            expect(new Set(await mediaStates(named("media-nodes")))).toEqual(new Set(["UP"]));
        });
    }, 600_000);

    test("while the proxy loads the configuration, and after it has left the network", async () => {
        checkout.configure({ additionalStores: "[]", allowedChanges: JSON.stringify(["storeRemoval"]) });
        await withoutFailure(async () => {
            await killAt(`after start container ${named("configure")}`);
            await killAt(`before remove container ${named("media-pool1-node1")}`);
            expect(await networks()).not.toContain(named("media-nodes"));
            await checkout.up();
            expect(await host.namesOf(named("media"))).toEqual([]);
        });
    }, 600_000);
});

/** The states of the servers of the store media, as the proxy shows them. */
async function mediaStates(network: string): Promise<string[]> {
    const servers = await new ProxyServers(await DockerEngine.connect(), network).list();
    return servers.filter(({ current }) => current).map(({ status }) => status.split(" ")[0] ?? "");
}
