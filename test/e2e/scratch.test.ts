import { setTimeout as sleep } from "node:timers/promises";
import { minioStore } from "./harness/stores";
import { HostsTarget } from "./hosts/hostsTarget";
import { HaproxyRuntime } from "./harness/haproxyRuntime";
import { Load } from "./chaos/load";
import { ObjectLedger } from "./chaos/objectLedger";
import { appendFileSync } from "node:fs";
test("scratch", async () => {
    const target = await HostsTarget.create(minioStore(), 3, { nodeCount: "3" });
    const log = (t: string) => appendFileSync("/tmp/w/scratch.log", `${new Date().toISOString().slice(11, 19)} ${t}\n`);
    try {
        await target.join();
        await target.up();
        await target.prepareLoad();
        const load = Load.start(target, new ObjectLedger(), "x");
        await sleep(5000);
        await target.hosts.kill("c");
        log("killed");
        const look = async () => {
            const parts: string[] = [];
            for (const h of ["a", "b", "c"]) {
                const n = { a: 1, b: 2, c: 3 }[h];
                const name = `${target.deployment.clusterName}-pool1-node${n}`;
                try {
                    const e = target.engine(h);
                    const rt = new HaproxyRuntime(e, `${target.deployment.clusterName}-${h}-proxy`);
                    const s = await rt.states("s3");
                    const codes: string[] = [];
                    for (const [i, peer] of target.outputs.nodeNames.entries()) {
                        codes.push(`${i + 1}=` + (await e.exec(name, ["/bin/sh", "-c", `curl -s -o /dev/null -m 3 -w '%{http_code}' http://${peer}:9000/minio/health/cluster || true`])).trim());
                    }
                    parts.push(`${h}: ${Object.values(s).join(",")} ${codes.join(" ")}`);
                } catch (error) { parts.push(`${h}: ${String(error).slice(0, 60)}`); }
            }
            log(parts.join(" | "));
        };
        for (let i = 0; i < 10; i++) { await look(); await sleep(4000); }
        await target.hosts.start("c");
        log("started");
        for (let i = 0; i < 30; i++) { await look(); await sleep(2000); }
        const r = await load.stop();
        log(`requests ${r.length} failed ${r.filter((x) => x.failure !== undefined).length}`);
        for (let i = 0; i < 10; i++) { await look(); await sleep(2000); }
        for (const h of ["a", "b", "c"]) {
            log(`node ${h}: ` + (await target.engine(h).logs(`${target.deployment.clusterName}-pool1-node${{ a: 1, b: 2, c: 3 }[h]}`)).slice(-1500));
        }
    } finally {
        await target.remove();
    }
}, 900_000);
