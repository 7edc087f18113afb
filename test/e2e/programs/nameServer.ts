import { createSocket, type RemoteInfo } from "node:dgram";

/** What becomes of a question for the name of a container that doesn't run: an answer that there is none, or silence. */
export type LostNames = "fail" | "hang";

/** Docker's own name server, which knows the running containers of this one's networks. */
const DOCKER = { address: "127.0.0.11", port: 53 };

const DOCKER_MILLISECONDS = 200;
const NAME_ERROR = 3;

/** Answers what Docker does; that there is no such name, or nothing, where Docker knows none by itself. */
function serve(lostNames: LostNames): void {
    const socket = createSocket("udp4");
    socket.on("message", (question: Buffer, from: RemoteInfo) => {
        void askDocker(question).then((answer) => {
            if (answer !== undefined) {
                socket.send(answer, from.port, from.address);
            } else if (lostNames === "fail") {
                socket.send(noSuchName(question), from.port, from.address);
            }
        });
    });
    socket.bind(DOCKER.port);
}

/** Docker's answer, where it has one by itself: what it asks others for takes longer, or fails. */
function askDocker(question: Buffer): Promise<Buffer | undefined> {
    const socket = createSocket("udp4");
    return new Promise<Buffer | undefined>((resolve) => {
        socket.on("message", (answer: Buffer) => resolve(responseCode(answer) === 0 ? answer : undefined));
        setTimeout(() => resolve(undefined), DOCKER_MILLISECONDS);
        socket.send(question, DOCKER.port, DOCKER.address);
    }).finally(() => socket.close());
}

function responseCode(message: Buffer): number {
    return message.readUInt8(3) & 0x0f;
}

/** The question itself as an answer, its flags saying so (RFC 1035, section 4.1.1). */
function noSuchName(question: Buffer): Buffer {
    const answer = Buffer.from(question);
    answer.writeUInt8(question.readUInt8(2) | 0x80, 2);
    answer.writeUInt8(0x80 | NAME_ERROR, 3);
    return answer;
}

serve(process.argv.at(-1) as LostNames);
