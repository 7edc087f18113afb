import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { agentFor, s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { standInStore } from "../harness/stores";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How a wait ended, and after how many milliseconds. */
interface Ending {
    after: number;
    how: string;
}

/**
 * Service contract, section 8: client, server and tunnel, one hour each, on both hostnames. Every wait begins with the
 * run and is observed until it ends, for 65 minutes at most.
 */
describe("timeouts of one hour", () => {
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    const endings: { [wait: string]: Promise<Ending> } = {};

    beforeAll(async () => {
        deployment = await Deployment.create(standInStore().config);
        await deployment.up();
        outputs = await deployment.outputs();
        const hosts = { s3: outputs.s3Endpoint, console: outputs.consoleUrl };
        await s3ClientFor(outputs).send(new CreateBucketCommand({ Bucket: "bucket" }));
        for (const [name, url] of Object.entries(hosts)) {
            endings[`${name} server`] = answerTo(request(`${url}/service/hang`, { agent: agentFor(outputs) }).end());
            endings[`${name} slow`] = answerTo(
                request(`${url}/service/slow?seconds=3300`, { agent: agentFor(outputs) }).end(),
            );
            endings[`${name} client`] = answerTo(await stalledUpload(url));
        }
        endings["idle tunnel"] = tunnel();
        endings["busy tunnel"] = tunnel(20 * MINUTE);
        const early = await Promise.race([...Object.values(endings), sleep(MINUTE / 6)]);
        expect(early).toBeUndefined();
    }, 2 * MINUTE);

    afterAll(() => deployment.remove(), 2 * MINUTE);

    const answerTo = async (sent: ClientRequest): Promise<Ending> => {
        const start = Date.now();
        const how = new Promise<string>((resolve) => {
            sent.on("response", (response: IncomingMessage) => {
                response.resume();
                resolve(String(response.statusCode));
            });
            sent.on("error", (error) => resolve(error.message));
            setTimeout(() => resolve("nothing"), 65 * MINUTE).unref();
        });
        return { how: await how, after: Date.now() - start };
    };

    /** An upload that announces a body of two bytes and sends one. */
    const stalledUpload = async (url: string): Promise<ClientRequest> => {
        const client = s3ClientFor({ ...outputs, s3Endpoint: url });
        const command = new PutObjectCommand({ Bucket: "bucket", Key: "object" });
        const signed = await getSignedUrl(client, command, { expiresIn: 2 * 3600 });
        const sent = request(signed, { method: "PUT", agent: agentFor(outputs), headers: { "content-length": "2" } });
        sent.write("1");
        return sent;
    };

    /** A WebSocket, idle or with a message at intervals. */
    const tunnel = async (interval?: number): Promise<Ending> => {
        const start = Date.now();
        const url = `${outputs.consoleUrl.replace("https", "wss")}/service/console/live`;
        const socket = new WebSocket(url, { agent: agentFor(outputs) });
        await once(socket, "open");
        const messages = interval === undefined ? undefined : setInterval(() => socket.send("still here"), interval);
        const how = await new Promise<string>((resolve) => {
            socket.on("close", () => resolve("closed"));
            setTimeout(() => resolve("open"), 65 * MINUTE).unref();
        });
        clearInterval(messages);
        socket.terminate();
        return { how, after: Date.now() - start };
    };

    const report = (wait: string, { how, after }: Ending) =>
        console.log(`${wait}: ${how} after ${(after / MINUTE).toFixed(2)} min`);

    test.each(["s3", "console"])(
        "%s: an answer that never comes is a 504 after an hour; one that takes 55 minutes comes",
        async (name) => {
            const slow = await (endings[`${name} slow`] as Promise<Ending>);
            const hang = await (endings[`${name} server`] as Promise<Ending>);
            report(`${name}, answer after 55 min`, slow);
            report(`${name}, no answer`, hang);
            expect(slow.how).toBe("200");
            expect(hang.how).toBe("504");
            expect(Math.abs(hang.after - HOUR)).toBeLessThan(MINUTE);
        },
        66 * MINUTE,
    );

    test.each(["s3", "console"])(
        "%s: an upload that stalls is ended after an hour",
        async (name) => {
            const stalled = await (endings[`${name} client`] as Promise<Ending>);
            report(`${name}, stalled upload`, stalled);
            expect(stalled.how).not.toBe("nothing");
            expect(Math.abs(stalled.after - HOUR)).toBeLessThan(MINUTE);
        },
        66 * MINUTE,
    );

    test(
        "a WebSocket without traffic is closed after an hour, and one with traffic stays",
        async () => {
            const idle = await (endings["idle tunnel"] as Promise<Ending>);
            const busy = await (endings["busy tunnel"] as Promise<Ending>);
            report("idle WebSocket", idle);
            report("WebSocket with a message each 20 min", busy);
            expect(idle.how).toBe("closed");
            expect(Math.abs(idle.after - HOUR)).toBeLessThan(MINUTE);
            expect(busy.how).toBe("open");
        },
        66 * MINUTE,
    );
});
