import { createSocket, type RemoteInfo } from "node:dgram";

/** The answer to a lookup of a container that doesn't run: that the name doesn't exist, or no answer. */
export type LostNames = "fail" | "hang";

/** Docker's own name server, which knows the running containers in this container's networks. */
const DOCKER = { address: "127.0.0.11", port: 53 };

const DOCKER_MILLISECONDS = 200;
const NAME_ERROR = 3;

/** Answers as Docker does. If Docker doesn't know a name itself, it answers that there is none, or not at all. */
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

/** Docker's answer, if Docker knows it itself. Names that it forwards to other servers take longer, or fail. */
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

/** Turns a query into a response by its flags (RFC 1035, section 4.1.1). */
function noSuchName(question: Buffer): Buffer {
    const answer = Buffer.from(question);
    answer.writeUInt8(question.readUInt8(2) | 0x80, 2);
    answer.writeUInt8(0x80 | NAME_ERROR, 3);
    return answer;
}

serve(process.argv.at(-1) as LostNames);
