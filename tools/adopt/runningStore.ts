import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import type { ServiceProfile } from "../../components/store/serviceProfile";
import type { CommandEnd } from "./containerCommand";
import type { RootKeys } from "./rootKeys";

/** A store that runs, and how it is reached from inside its container. */
export interface RunningStore {
    /** Name of the container. */
    name: string;
    profile: ServiceProfile;
    /** Value of the variable with the address that S3 is served at. Default: `:9000`. */
    address: string | undefined;
    /** Whether the store's program has a console with an address of its own. */
    hasConsole: boolean;
    /** Region that requests are signed for. */
    region: string;
    keys: RootKeys;
}

/** Runs a command in the store's container. */
export type RunIn = (command: readonly string[], input: string) => Promise<CommandEnd>;

/** Seconds for one request. */
const SECONDS = 15;

/**
 * What prevents a running store from being deployed here: it doesn't answer the paths that its profile asks, it has no console, or its
 * root keys are others than those that were found. The requests are sent by curl in its container, which gets them by its standard input.
 */
export async function askRunningStore(store: RunningStore, run: RunIn): Promise<string[]> {
    const { name, profile, hasConsole } = store;
    const problems = hasConsole
        ? []
        : [
              `${name}: this release of ${profile.name} has no console with an address of its own, which ${profile.name} has since July 2021: ` +
                  "start it with a later release first",
          ];
    const host = hostOf(store.address);
    const { livenessPath = "/", s3HealthPath, s3ReadHealthPath } = profile;
    const origins = [`http://${host}`, `https://${host}`];
    const live = await answersTo(
        origins.map((origin) => origin + livenessPath),
        run,
    );
    const origin = origins[live.findIndex(({ status }) => status === 200)];
    if (origin === undefined) {
        return [...problems, `${name} ${described(livenessPath, live[0])}: ${UNFIT}`];
    }
    const paths = [s3HealthPath, ...(s3ReadHealthPath === undefined ? [] : [s3ReadHealthPath])];
    const answers = await answersTo(
        paths.map((path) => origin + path),
        run,
    );
    const unfit = paths.flatMap((path, index) =>
        answers[index]?.status === 200 ? [] : [`${name} ${described(path, answers[index])}: ${UNFIT}`],
    );
    return [...problems, ...unfit, ...(await wrongKeys(store, host, origin, run))];
}

const UNFIT = "make it healthy, or start it with a later release, first";

function described(path: string, answer: Answer | undefined): string {
    return `answers GET ${path} with ${answer === undefined || answer.status === 0 ? "nothing" : answer.status}, and not with 200`;
}

/** Whether the root keys are others: the list of buckets, which every root user may read, is refused. */
async function wrongKeys(store: RunningStore, host: string, origin: string, run: RunIn): Promise<string[]> {
    const ask = async (region: string) => {
        const [answer] = await answersTo([`${origin}/`], run, await signatureFor(host, store.keys, region));
        return answer;
    };
    const first = await ask(store.region);
    // A store with a region of its own names it.
    const [, region] = /<Region>([^<]+)<\/Region>/.exec(first?.body ?? "") ?? [];
    const answer = first?.status === 400 && region !== undefined ? await ask(region) : first;
    return answer?.status === 200
        ? []
        : [
              `${store.name} ${described("/", answer)}, if the request is signed with the root keys that were found (access key ` +
                  `${store.keys.accessKey}), so it has others: start it with its root keys in its variables first`,
          ];
}

/** Host and port at which a listener with this address is reached in its own container. */
function hostOf(address = ""): string {
    const [, host = "", port = ""] = /^(?:\w+:\/\/)?(.*?)(?::(\d+))?$/.exec(address) ?? [];
    return `${["", "*", "0.0.0.0", "[::]"].includes(host) ? "127.0.0.1" : host}:${port === "" ? "9000" : port}`;
}

/** An answer; the status 0 is none. */
interface Answer {
    status: number;
    body: string;
}

/** The answers to a GET of each URL. */
async function answersTo(
    urls: readonly string[],
    run: RunIn,
    headers: { [name: string]: string } = {},
): Promise<Answer[]> {
    const configuration = urls.map((url) =>
        [
            ...["silent", "insecure", "globoff", 'noproxy = "*"', `max-time = ${SECONDS}`, `url = ${quoted(url)}`],
            ...Object.entries(headers).map(([name, value]) => `header = ${quoted(`${name}: ${value}`)}`),
            // The content comes before it.
            String.raw`write-out = "\n=== %{http_code}\n"`,
        ].join("\n"),
    );
    const { output } = await run(["curl", "--config", "-"], configuration.join("\nnext\n"));
    return [...output.matchAll(/([^]*?)\n=== (\d{3})\n/g)].map(([, body = "", status]) => ({
        body,
        status: Number(status),
    }));
}

/** Headers of a signed request for the list of buckets. */
async function signatureFor(host: string, keys: RootKeys, region: string): Promise<{ [name: string]: string }> {
    const signer = new SignatureV4({
        service: "s3",
        region,
        credentials: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
        sha256: Sha256,
        uriEscapePath: false,
    });
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const [hostname = ""] = host.split(":");
    const { headers } = await signer.sign({
        method: "GET",
        protocol: "http:",
        hostname,
        path: "/",
        headers: { host, "x-amz-content-sha256": empty },
    });
    return headers;
}

/** A value as curl's configuration reads it. */
function quoted(value: string): string {
    return `"${value.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}
