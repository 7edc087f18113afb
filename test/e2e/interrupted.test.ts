import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerHost } from "./harness/dockerHost";
import { InterruptCheckout } from "./harness/interruptCheckout";
import { killAll, killTree, processOf, processTree } from "./harness/interruptProcessTree";
import { minioStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { FEWEST_INTERRUPTIONS, interruptedSuite } from "./suites/interrupted";

describe("an update that is killed at one resource after the other, and repeated", () =>
    interruptedSuite(minioStore, FEWEST_INTERRUPTIONS));

describe("an update after one that was interrupted in another way", () => {
    const host = new DockerHost();
    let checkout: InterruptCheckout;

    beforeAll(async () => {
        checkout = await InterruptCheckout.create();
    }, 60_000);

    afterAll(() => checkout.remove(), 60_000);

    const named = (part: string) => `${checkout.clusterName}-${part}`;

    test("npm run up was killed while Pulumi continues: the next one names the running update, and waits for its end", async () => {
        const { running, goOn } = await checkout.upTo(`before start container ${named("pool1-node1")}`);
        const pulumi = processOf(running.pid, "pulumi");
        killAll(processTree(running.pid).filter((pid) => !processTree(pulumi).includes(pid)));

        const output = await checkout.upFailing();
        expect(output).toContain("an update of this stack is under way");
        expect(output).toContain(`process ${pulumi} of `);
        goOn();
        while (existsSync(`/proc/${pulumi}`)) {
            await sleep(100);
        }
        const { Id: node } = await host.inspect(named("pool1-node1"));
        await checkout.up();
        expect((await host.inspect(named("pool1-node1"))).Id).toBe(node);
    }, 300_000);

    test("Pulumi alone was killed, and its providers continue: the resources that they still create are settled", async () => {
        checkout.configure({ memory: "512" });
        const { running, goOn } = await checkout.upTo(`before start container ${named("pool1-node1")}`);
        const pulumi = processOf(running.pid, "pulumi");
        const providers = processTree(pulumi).filter((pid) => pid !== pulumi);
        try {
            killAll([pulumi]);
            goOn();
            expect((await running.ended).code).toBe(1);
            await checkout.up();
        } finally {
            killAll(providers);
        }
        const { State: state, HostConfig: limits } = await host.inspect(named("pool1-node1"));
        expect(state.Health?.Status).toBe("healthy");
        expect(limits.Memory).toBe(512 * 1024 * 1024);
        expect(checkout.pending()).toEqual([]);
    }, 300_000);

    test("a foreign container with a name that the update needs is refused, and kept", async () => {
        checkout.configure({ s3Host: "other.localhost" });
        const { running } = await checkout.upTo(`before create container ${named("configure")}`);
        killTree(running.pid);
        const image = testImages().minio;
        const foreign = await host.docker.createContainer({ name: named("configure"), Image: image, Cmd: ["none"] });

        const output = await checkout.upFailing();
        expect(output).toContain("lacks its labels");
        expect(output).toContain(`container ${named("configure")}`);
        await foreign.remove();
        await checkout.up();
        expect((await checkout.outputs()).s3Endpoint).toContain("other.localhost");
    }, 300_000);

    test("a container with the cluster's labels that no update of this stack has created is refused, and kept", async () => {
        const labelled = await host.docker.createContainer({
            name: named("of-another-checkout"),
            Image: testImages().minio,
            Cmd: ["none"],
            Labels: { "docker-object-store.cluster": checkout.clusterName },
        });
        const output = await checkout.upFailing();
        expect(output).toContain("containers on this Docker daemon that the stack's state doesn't know");
        expect(output).toContain(named("of-another-checkout"));
        await labelled.remove();
    }, 120_000);

    test("a lock of another host is kept; a lock whose process id now belongs to another program is removed", async () => {
        const lock = join(checkout.lockFolder, "5e2f6f1c-0000-4000-8000-000000000000.json");
        const lockOf = (host: string) =>
            JSON.stringify({
                pid: process.pid,
                username: "somebody",
                hostname: host,
                timestamp: "2026-11-22T00:00:00Z",
            });
        mkdirSync(checkout.lockFolder, { recursive: true });

        writeFileSync(lock, lockOf("elsewhere"));
        const output = await checkout.upFailing();
        expect(output).toContain(`process ${process.pid} of somebody on elsewhere, since 2026-11-22T00:00:00Z`);
        expect(output).toContain(lock);
        expect(existsSync(lock)).toBe(true);
        rmSync(lock);

        writeFileSync(lock, lockOf(hostname()));
        await checkout.up();
        expect(existsSync(lock)).toBe(false);
    }, 120_000);

    test("incomplete files of a killed Pulumi don't prevent an update", async () => {
        const draft = join(checkout.lockFolder, "5e2f6f1c-0000-4000-8000-000000000000.json.18a0.tmp");
        const description = `${checkout.stateFile}.attrs`;
        expect(existsSync(description)).toBe(true);
        for (const file of [draft, description]) {
            writeFileSync(file, "");
        }
        expect((await checkout.start("pulumi", "stack", "--show-name").ended).output.trim()).toBe(checkout.stack);
        await checkout.up();
        expect(existsSync(draft)).toBe(false);
    }, 120_000);
});
