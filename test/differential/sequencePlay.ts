import type { User } from "../e2e/harness/stores";
import type { ClientProcess } from "./clientProcess";
import { postForm } from "./postForm";
import type { Command, Outcome } from "./protocol";

/** A command of a sequence, and what came of it. */
export interface Played {
    command: Command;
    outcome: Outcome;
}

/** Plays a sequence on a new connection, in a bucket of its own. */
export async function play(client: ClientProcess, commands: Command[], bucket: string, owner: User): Promise<Played[]> {
    await client.reset();
    const values = new Map([["bucket", bucket]]);
    const played: Played[] = [];
    for (const command of commands) {
        const filled = withValues(command, values);
        const sent = filled.operation === "PostForm" ? await postForm(filled, bucket, owner) : filled;
        const outcome = await client.execute(sent);
        played.push({ command, outcome });
        keepValues(values, filled, outcome);
    }
    return played;
}

/** Replaces `{bucket}`, `{etag}`, `{version}`, `{upload}` and `{part N}` by what the store has said before. */
function withValues(command: Command, values: ReadonlyMap<string, string>): Command {
    const text = JSON.stringify(command).replace(/\{(bucket|etag|version|upload|part \d+)\}/g, (_, name: string) =>
        JSON.stringify(values.get(name) ?? "none").slice(1, -1),
    );
    return JSON.parse(text) as Command;
}

function keepValues(values: Map<string, string>, { operation, parameters }: Command, outcome: Outcome): void {
    const { headers = {}, status = 0 } = outcome;
    if (status >= 300) {
        return;
    }
    const keep = (name: string, value: string | undefined) =>
        value === undefined ? undefined : values.set(name, value);
    keep("version", headers["x-amz-version-id"]);
    if (operation === "UploadPart") {
        keep(`part ${String(parameters["PartNumber"])}`, headers["etag"]);
    } else {
        keep("etag", headers["etag"]);
    }
    keep("upload", /<UploadId>(.*?)<\/UploadId>/.exec(textOf(outcome))?.[1]);
}

/** The body as text, in which each character is one byte. */
export function textOf({ body }: Outcome): string {
    return Buffer.from(body.base64 ?? "", "base64").toString("latin1");
}
