import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LOCAL } from "../../../tools/paths";
import { CHAOS_BUCKET } from "../chaos/chaosClient";
import { Load, type LoadTarget } from "../chaos/load";
import { ObjectLedger } from "../chaos/objectLedger";
import { POPULATIONS } from "../chaos/operations";
import { verifyObjects } from "../chaos/verification";
import { ConsoleConnection } from "../harness/acmeConsole";
import { AcmeStack, PUBLIC_HOSTS, S3_HOST } from "../harness/acmeStack";
import { s3ClientFor } from "../harness/clients";
import { beginUpload } from "../harness/lastingTraffic";
import { Pebble } from "../harness/pebble";
import { minioStore } from "../harness/stores";
import { checksumOf } from "../harness/traffic";

const SECOND = 1000;
/** Validity of each certificate in seconds. About half of it passes until the next renewal. */
const VALIDITY = 40;

/** Longest time, in seconds, until an obtained certificate is served, on a busy machine. */
const SERVED_WITHIN = 15;

const BUCKET = "lasting";
const KEPT_KEY = "kept";

/** One renewal: seconds from each event until a client got the certificate. */
interface Renewal {
    serial: string;
    /** Since the start of its validity, in whole seconds. */
    sinceNotBefore: number;
    /** Since the client had written it. */
    sinceWritten: number;
}

/**
 * Renewals of a certificate by ACME while clients read and write.
 *
 * @param count Number of consecutive renewals.
 */
export function renewalsSuite(count: number): void {
    const ledger = new ObjectLedger();
    let pebble: Pebble;
    let stack: AcmeStack;
    let target: LoadTarget;

    beforeAll(async () => {
        pebble = await Pebble.start(PUBLIC_HOSTS, { validitySeconds: VALIDITY });
        const store = minioStore();
        stack = await AcmeStack.create(
            pebble,
            { checkInterval: 2, retryInterval: 1 },
            { ...store.config, nodeCount: "4", drivesPerNode: "1" },
        );
        await stack.deployment.up();
        const ca = await pebble.rootCertificate();
        const outputs = { ...(await stack.deployment.outputs()), caCertificate: ca };
        target = { store, outputs, nextCertificate: { ca } };
    }, 300 * SECOND);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 180 * SECOND);

    /** Time when the client has written its current certificate, in milliseconds since the epoch. */
    const writtenAt = async () => {
        const file = `/var/lib/acme/certificates/${S3_HOST}.crt`;
        return Number(await stack.host.exec(stack.deployer, ["stat", "-c", "%.3Y", file])) * SECOND;
    };

    /** Observes the served certificate until this number of renewals. */
    const watchRenewals = async (): Promise<Renewal[]> => {
        const renewals: Renewal[] = [];
        let { serial: former } = await stack.served();
        const end = Date.now() + count * 2 * VALIDITY * SECOND;
        while (renewals.length < count) {
            const { serial, certificate } = await stack.served();
            const now = Date.now();
            if (serial !== former) {
                const sinceNotBefore = (now - Date.parse(certificate.validFrom)) / SECOND;
                renewals.push({ serial, sinceNotBefore, sinceWritten: (now - (await writtenAt())) / SECOND });
                former = serial;
            }
            if (now > end) {
                throw new Error(`renewed only ${renewals.length} times`);
            }
            await sleep(100);
        }
        return renewals;
    };

    test(
        `${count} in a row fail no request, end no upload and no WebSocket, and lose no byte`,
        async () => {
            const { outputs } = target;
            const client = s3ClientFor(outputs);
            for (const Bucket of [CHAOS_BUCKET, BUCKET]) {
                await client.send(new CreateBucketCommand({ Bucket }));
            }
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: KEPT_KEY, Body: "kept" }));
            const proxy = (await stack.containers()).get(stack.proxy);
            const former = await pebble.issued();

            let markDone: () => void = () => undefined;
            const done = new Promise<void>((resolve) => (markDone = resolve));
            const uploads = [
                await beginUpload(outputs, "http/1.1", { bucket: BUCKET, key: "one" }, done),
                await beginUpload(outputs, "h2", { bucket: BUCKET, key: "two" }, done),
            ];
            const live = await ConsoleConnection.open(outputs, BUCKET);
            const talk = live.askUntil(done, [KEPT_KEY]).then(
                () => undefined,
                (error: unknown) => String(error),
            );
            const load = Load.start(target, ledger, "renewals");
            let renewals: Renewal[];
            try {
                renewals = await watchRenewals();
            } finally {
                markDone();
                await load.stop();
            }
            leaveTable(renewals);

            const records = load.records();
            expect(
                records.flatMap(({ failure, ...record }) => (failure === undefined ? [] : [{ ...record, failure }])),
            ).toEqual([]);
            expect(records.flatMap(({ wrong = [] }) => wrong)).toEqual([]);
            for (const population of POPULATIONS) {
                expect(records.filter((record) => record.population === population).length).toBeGreaterThan(50 * count);
            }
            expect(await talk).toBeUndefined();
            expect(live.answered).toBeGreaterThan(10 * count);
            live.close();
            for (const { key, checksum, status } of uploads) {
                expect(await status).toBe(200);
                expect(await checksumOf(client, BUCKET, key)).toBe(checksum);
            }
            expect((await stack.containers()).get(stack.proxy)).toBe(proxy);
            const issued = await pebble.issued();
            expect(issued.slice(former.length)).toEqual(expect.arrayContaining(renewals.map(({ serial }) => serial)));
            expect(renewals.filter(({ sinceWritten }) => sinceWritten > SERVED_WITHIN)).toEqual([]);
        },
        20 * 60 * SECOND,
    );

    test("every object that was acknowledged meanwhile has its content", async () => {
        expect(ledger.keys("").length).toBeGreaterThan(5 * count);
        expect(await verifyObjects(target, ledger, "")).toEqual([]);
    }, 300_000);
}

/** Prints the renewals as a table, and writes it to a file. */
function leaveTable(renewals: Renewal[]): void {
    const heads = ["renewal", "seconds from notBefore to served", "seconds from written to served"];
    const rows = renewals.map(({ sinceNotBefore, sinceWritten }, index) => [
        String(index + 1),
        sinceNotBefore.toFixed(1),
        sinceWritten.toFixed(1),
    ]);
    const lines = [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
    const table = `${lines.join("\n")}\n`;
    mkdirSync(LOCAL, { recursive: true });
    writeFileSync(join(LOCAL, "renewals.md"), table);
    console.log(table);
}
