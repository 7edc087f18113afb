import type { StoreClient } from "../../../components/storeClient/storeClient";
import { StoreResources } from "../../../plugin/resources/storeResources";

export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const store = { name: "store" };

export const ENGINE = "the-engine-of-the-store";

export const urnOf = (kind: string, name = "photos") =>
    `urn:pulumi:dev::project::docker-object-store:index:Store$docker-object-store:index:${kind}::${name}`;

/** An error as the client prints it. */
export const failure = (code: string, message = code) => ({
    code: 1,
    values: [{ status: "error", error: { message: "it failed", cause: { message, error: { Code: code } } } }],
    complaint: "",
});

type Answer = ReturnType<typeof failure> | unknown[];

/** A store's client that gives these answers, by the beginning of the command; every other command succeeds. */
export function clientWith(answers: { [command: string]: Answer | (() => Answer) }): {
    client: StoreClient;
    ran: { command: string; input: string | undefined }[];
} {
    const ran: { command: string; input: string | undefined }[] = [];
    const run: StoreClient["run"] = (args, input) => {
        const command = args.join(" ");
        ran.push({ command, input });
        const [, given] = Object.entries(answers).find(([beginning]) => command.startsWith(beginning)) ?? [];
        const answer = typeof given === "function" ? given() : given;
        return Promise.resolve(
            answer === undefined || Array.isArray(answer) ? { code: 0, values: answer ?? [], complaint: "" } : answer,
        );
    };
    const untilCounted: StoreClient["untilCounted"] = (bucket) =>
        Promise.resolve(void ran.push({ command: `wait for ${bucket}`, input: undefined }));
    return { client: { run, untilCounted }, ran };
}

export const resourcesOf = (client: StoreClient) => new StoreResources((_store, work) => work(client, ENGINE));

/** Creates a resource. Returns its id and its properties. */
export async function created(client: StoreClient, urn: string, args: object): Promise<{ id: string; outs: Outputs }> {
    return (await resourcesOf(client).create(urn, args)) as { id: string; outs: Outputs };
}

/** Properties of any resource. */
export interface Outputs {
    [name: string]: unknown;
}

/** Reads a resource. Returns what the engine gets. */
export async function found(client: StoreClient, id: string, urn: string, known: object): Promise<Outputs> {
    return (await resourcesOf(client).read(id, urn, known)) as Outputs;
}

/** A store that has the bucket, without settings. */
export const fresh = { "version info": [{ versioning: { status: "" } }] };

/** A store that has the bucket once it was asked for it. */
export function empty(): { [command: string]: () => Answer } {
    let asked = 0;
    return { "version info": () => (asked++ === 0 ? failure("NoSuchBucket") : fresh["version info"]) };
}
