import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { agentFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";

const PAUSE_MILLISECONDS = 500;
const ANSWER_MILLISECONDS = 30_000;

/** A message of MinIO's console on its WebSocket. */
interface ListAnswer {
    request_id: number;
    error?: unknown;
    request_end?: boolean;
    data?: { name: string }[];
}

/** The WebSocket by which MinIO's console lists a bucket for a signed-in user. */
export class ConsoleConnection {
    /** Number of lists that were received. */
    answered = 0;
    private readonly answers: ListAnswer[] = [];

    private constructor(
        private readonly socket: WebSocket,
        private readonly bucket: string,
    ) {
        socket.on("message", (data: Buffer) => this.answers.push(JSON.parse(data.toString()) as ListAnswer));
    }

    static async open(outputs: DeploymentOutputs, bucket: string): Promise<ConsoleConnection> {
        const url = `${outputs.consoleUrl.replace("https", "wss")}/ws/objectManager`;
        const headers = { cookie: await signIn(outputs) };
        const socket = new WebSocket(url, { agent: agentFor(outputs), headers });
        await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
        return new ConsoleConnection(socket, bucket);
    }

    /**
     * Requests the list repeatedly while an action runs, and once more afterwards.
     *
     * @throws {Error} if a list isn't exactly as expected, or doesn't arrive.
     */
    async askUntil(done: Promise<void>, expected: string[]): Promise<void> {
        const pause = () => Promise.race([sleep(PAUSE_MILLISECONDS, false), done.then(() => true)]);
        let isDone: boolean;
        do {
            isDone = await pause();
            const listed = await this.list();
            if (listed.join() !== expected.join()) {
                throw new Error(`the console lists ${listed.join()}, not ${expected.join()}`);
            }
            this.answered++;
        } while (!isDone);
    }

    close(): void {
        this.socket.close();
    }

    private async list(): Promise<string[]> {
        const id = this.answered + 1;
        const question = { mode: "objects", bucket_name: this.bucket, prefix: "", request_id: id };
        this.socket.send(JSON.stringify(question));
        const end = Date.now() + ANSWER_MILLISECONDS;
        const isAnswer = (answer: ListAnswer) => answer.request_id === id;
        while (!this.answers.some((answer) => isAnswer(answer) && answer.request_end === true)) {
            if (this.socket.readyState !== WebSocket.OPEN || Date.now() > end) {
                const state = this.socket.readyState === WebSocket.OPEN ? "open" : "closed";
                throw new Error(
                    `no list came by the WebSocket, which is ${state}: ${JSON.stringify(this.answers.at(-1))}`,
                );
            }
            await sleep(20);
        }
        return this.answers.filter(isAnswer).flatMap(({ data = [] }) => data.map(({ name }) => name));
    }
}

/** Signs in to MinIO's console with the root credentials. Returns the cookies that it sets. */
function signIn(outputs: DeploymentOutputs): Promise<string> {
    const url = `${outputs.consoleUrl}/api/v1/login`;
    const { accessKey, secretKey } = outputs;
    return new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json" };
        const { hostname: servername } = new URL(url);
        request(url, { method: "POST", agent: agentFor(outputs), servername, headers }, (response) => {
            response.resume();
            const cookies = (response.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0] ?? "");
            if (response.statusCode === 204) {
                resolve(cookies.join("; "));
            } else {
                reject(new Error(`signing in was answered with ${response.statusCode}`));
            }
        })
            .on("error", reject)
            .end(JSON.stringify({ accessKey, secretKey }));
    });
}
