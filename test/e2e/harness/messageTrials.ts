import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublicSide } from "./publicSide";
import type { Settled } from "./rawConnection";
import { readMessages, type ReceivedMessage } from "./receivedMessages";

/** The messages that a store received; a string says why the received bytes are ambiguous. */
export type Received = ReceivedMessage[] | string;

/** The result of bytes that a client sent. */
export interface Trial extends Settled {
    received: Received;
}

/**
 * Bytes that a client sends; each character is one byte. Parts are sent with a pause between them. Targets contain
 * {@link MARK}.
 */
export type TrialBytes = string | string[];

/** Placeholder for a unique mark of the same length, one for each text. */
export const MARK = "{mark}";

const QUIET_MILLISECONDS = 1000;
const BETWEEN_PARTS_MILLISECONDS = 300;

/**
 * Sends each of several texts on its own connection, all at once, and returns the results. A mark in the targets
 * identifies what the store received.
 */
export async function tryMessages<Name extends string>(
    side: PublicSide,
    texts: { [N in Name]: TrialBytes },
): Promise<{ [N in Name]: Trial }> {
    const names = Object.keys(texts) as Name[];
    const batch = randomBytes(2).toString("hex");
    const markOf = (name: Name) =>
        batch +
        names
            .indexOf(name)
            .toString(36)
            .padStart(MARK.length - batch.length, "0");
    const settled = await Promise.all(
        names.map((name) =>
            send(
                side,
                [texts[name]].flat().map((part) => part.replaceAll("{mark}", markOf(name))),
            ),
        ),
    );
    const record = await side.node.record();
    const trials = names.map((name, index): [Name, Trial] => {
        const { statuses, closed } = settled[index] as Settled;
        return [name, { statuses, closed, received: messagesWith(markOf(name), record) }];
    });
    return Object.fromEntries(trials) as { [N in Name]: Trial };
}

/** The messages that the store has received with a mark in the target. */
export async function receivedWith(side: PublicSide, mark: string): Promise<Received> {
    return messagesWith(mark, await side.node.record());
}

async function send(side: PublicSide, parts: string[]): Promise<Settled> {
    const connection = await side.connect();
    try {
        for (const [index, part] of parts.entries()) {
            await sleep(index === 0 ? 0 : BETWEEN_PARTS_MILLISECONDS);
            connection.write(part);
        }
        return await connection.settle(QUIET_MILLISECONDS);
    } finally {
        connection.destroy();
    }
}

function messagesWith(mark: string, record: { bytes: Buffer }[]): Received {
    const messages: ReceivedMessage[] = [];
    for (const { bytes } of record.filter(({ bytes }) => bytes.includes(mark))) {
        try {
            messages.push(...readMessages(bytes).filter(({ target }) => target.includes(mark)));
        } catch (error) {
            return String(error);
        }
    }
    return messages;
}
