import * as pulumi from "@pulumi/pulumi";
import type Docker from "dockerode";
import { finished, PassThrough, type Duplex } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { DockerEngine } from "../docker/engine";
import { answeringEngine } from "../docker/engineConnection";
import { systemClock } from "../docker/poll";
import { CURRENT, OF_VERSION, SECRETS_PATH } from "../naming/containerFiles";
import { throwUnlessMissing } from "../docker/dockerErrors";
import { fileOfArchive } from "../docker/dockerStreams";
import { haveImage, pulled } from "../docker/imagePull";
import { script } from "../docker/script";
import { LABELS } from "../naming/labels";
import { readEnvironmentFile } from "../store/environmentFile";
import { findProfile, profileNames } from "../store/profiles/all";
import type { EngineSettings } from "../docker/engineEndpoint";
import type { ServiceProfile } from "../store/serviceProfile";
import { BucketDurability } from "./bucketDurability";
import { NodeRequests, type RunInNode } from "./nodeRequests";
import { nodeOnEngine, QuotaQuestions, untilCounted, type AskedNode } from "./countedQuotas";
import { QuestionsOfStores } from "./sharedQuestions";
import { clientConfiguration, clientContainer, type RootKeys } from "./clientContainer";
import { INPUT_FILE, type ClientAnswer, type StoreClient } from "./storeClient";
import { clientImageOf, clientImageRemedy, enginesOfStore } from "./storeReference";
import { dataOfStore, engineId, findTarget, nodesOfStore, StoreNotRunning, type StoreTarget } from "./storeTarget";
import type { StoreReference } from "../args/storeReference";

/** Time limit of a session in seconds. Then the container is removed, and the work fails. */
const SESSION_SECONDS = 3600;

/**
 * Does work with a client that runs in a container on a store's node network, and removes the container. Nothing has to be
 * opened at the proxy.
 *
 * @param work Gets the client, and the id of the engine that it runs on.
 * @param isOver Whether the program has to end, so that nothing is waited for any more. Default: never.
 * @throws {StoreNotRunning} if no node of the store runs.
 * @throws {Error} if its engine can't be reached, or the client's image can't be had.
 */
export async function withClient<Result>(
    store: StoreReference,
    work: (client: StoreClient, engine: string) => Promise<Result>,
    isOver = () => false,
): Promise<Result> {
    const target = await findTarget(
        enginesOfStore(store).map((settings) => () => answeringEngine(settings)),
        (docker) => nodesOfStore(docker, store.name),
        (docker) => dataOfStore(docker, store.name),
    ).catch((error: unknown) => {
        const message = `store ${store.name}: ${(error as Error).message}`;
        throw error instanceof StoreNotRunning
            ? new StoreNotRunning(message, error.goneFrom)
            : new Error(message, { cause: error });
    });
    const { keys, profile } = await rootKeys(target);
    const found = await haveClientImage(target.docker, clientImageOf(store));
    await removeUnstarted(target);
    // It ends with its standard input, also if this program is killed.
    const container = await target.docker.createContainer(clientContainer(target, found, ["cat"]));
    const remove = () => container.remove({ force: true }).catch(() => undefined);
    const limit = setTimeout(() => void remove(), SESSION_SECONDS * 1000);
    let input: NodeJS.ReadWriteStream | undefined;
    try {
        input = await container.attach({ stream: true, stdin: true, hijack: true });
        await start(container, input, clientConfiguration(target, keys));
        const client: StoreClient = {
            run: (args, input) => runIn(target.docker, container, ["mc", "--json", ...args], input),
            untilCounted: (bucket) => untilBucketCounted(store, profile, bucket, isOver),
            ...(profile.durabilityPath === undefined
                ? {}
                : { durability: durabilityOf(store, profile, profile.durabilityPath) }),
        };
        return await work(client, await engineId(target.docker));
    } finally {
        clearTimeout(limit);
        await remove();
        (input as Duplex | undefined)?.destroy();
    }
}

/** Age of a container that wasn't started, in seconds, from which on its program must have been killed. */
const UNSTARTED_SECONDS = 600;

/** Removes containers of sessions that were killed before they had started them. */
async function removeUnstarted({ docker, network }: StoreTarget): Promise<void> {
    const found = await docker.listContainers({
        all: true,
        filters: { label: [`${LABELS.client}=${network}`], status: ["created"] },
    });
    const old = found.filter(({ Created: created }) => created < Date.now() / 1000 - UNSTARTED_SECONDS);
    await Promise.all(
        old.map(({ Id: id }) =>
            docker
                .getContainer(id)
                .remove({ force: true })
                .catch(() => undefined),
        ),
    );
}

/** What is asked of the stores whose buckets this program waits for. */
const questionsOfStores = new QuestionsOfStores(systemClock);

/** Waits until the nodes on all engines that answer have counted a bucket's objects. */
async function untilBucketCounted(
    store: StoreReference,
    profile: ServiceProfile,
    bucket: string,
    isOver: () => boolean,
): Promise<void> {
    if (profile.quotaPaths === undefined) {
        return;
    }
    const engines = enginesOfStore(store);
    const open = async () => new QuotaQuestions(await runningNodes(store.name, engines), profile);
    await questionsOfStores.during(JSON.stringify([store.name, engines]), open, (questions) =>
        untilCounted(questions, {
            storeName: store.name,
            buckets: [bucket],
            clock: systemClock,
            report: {
                progress: (text) => pulumi.log.info(text, undefined, undefined, true),
                warning: (text) => pulumi.log.warn(text),
            },
            isOver,
        }),
    );
}

function durabilityOf(store: StoreReference, profile: ServiceProfile, path: string): BucketDurability {
    const run: RunInNode = async (command, seconds) => {
        const nodes = await runningNodes(store.name, enginesOfStore(store));
        const healthy = await Promise.all(nodes.map((node) => node.isHealthy()));
        const node = nodes[healthy.indexOf(true)];
        if (node === undefined) {
            throw new Error("no node is healthy");
        }
        return node.run(command, seconds);
    };
    return new BucketDurability(new NodeRequests(run, profile), path);
}

/** The nodes of a store on all engines that answer. */
async function runningNodes(storeName: string, engines: EngineSettings[]): Promise<AskedNode[]> {
    const found = await Promise.allSettled(
        engines.map(async (settings) => {
            const engine = await DockerEngine.connect(settings);
            const containers = await engine.containers(LABELS.cluster, storeName);
            return containers
                .filter(({ labels }) => labels[LABELS.node] !== undefined)
                .map(({ id }) => nodeOnEngine(engine, id));
        }),
    );
    return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/**
 * The root keys of the running store, from the files of one of its nodes, and the profile whose variables have them. Newer
 * files may be there already.
 */
async function rootKeys({
    docker,
    node,
    secretsVersion,
}: StoreTarget): Promise<{ keys: RootKeys; profile: ServiceProfile }> {
    const environment =
        (await variablesOf(docker, node, OF_VERSION + secretsVersion)) ??
        (await variablesOf(docker, node, CURRENT)) ??
        {};
    for (const name of profileNames) {
        const profile = findProfile(name);
        const { accessKey = "", secretKey = "" } = profile?.variables ?? {};
        const [key, secret] = [environment[accessKey], environment[secretKey]];
        if (profile !== undefined && key !== undefined && secret !== undefined) {
            return { keys: { accessKey: key, secretKey: secret }, profile };
        }
    }
    throw new Error(`${node} has no root keys of a profile that is known here: ${profileNames.join(", ")}`);
}

/** The variables in a node's files that a link points to. Undefined if there is no such link. */
async function variablesOf(
    docker: Docker,
    node: string,
    link: string,
): Promise<{ [name: string]: string } | undefined> {
    try {
        const path = `${SECRETS_PATH}/${link}/environment`;
        const archive = await buffer(await docker.getContainer(node).getArchive({ path }));
        return readEnvironmentFile(await fileOfArchive(archive));
    } catch (error) {
        throwUnlessMissing(error);
        return undefined;
    }
}

/** The name under which the engine has the client's image, or gets it. */
async function haveClientImage(docker: Docker, image: string): Promise<string> {
    try {
        return await haveImage(docker, image, (name) => pulled(docker, name), true);
    } catch (error) {
        throw new Error(clientImageRemedy((error as Error).message), { cause: error });
    }
}

async function start(container: Docker.Container, input: NodeJS.ReadWriteStream, configuration: string): Promise<void> {
    await container.start();
    input.write(`${configuration}\n`);
    // It breaks off with the container.
    input.on("error", () => undefined).resume();
}

/** Runs a command in the client's container. */
async function runIn(
    docker: Docker,
    container: Docker.Container,
    command: string[],
    input = "",
): Promise<ClientAnswer> {
    const exec = await container.exec({
        Cmd: ["/bin/sh", "-c", script(__dirname, "askClient.sh"), "client", ...command],
        Env: command.includes(INPUT_FILE) ? [`INPUT_FILE=${INPUT_FILE}`] : [],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    const printed = new PassThrough();
    const complaints = new PassThrough();
    docker.modem.demuxStream(stream, printed, complaints);
    // A connection that breaks off is an error, not the end of the output.
    finished(stream, { writable: false }, (error) => {
        for (const part of [printed, complaints]) {
            if (error) {
                part.destroy(error);
            } else {
                part.end();
            }
        }
    });
    stream.end(input);
    const [values, complaint] = await Promise.all([text(printed), text(complaints)]);
    const { ExitCode: code } = await exec.inspect();
    return { code: code ?? -1, values: valuesIn(values), complaint: complaint.trim() };
}

/** The JSON values that the client printed. It indents them, so that a value has several lines. */
function valuesIn(printed: string): unknown[] {
    const values: unknown[] = [];
    let value = "";
    for (const line of printed.split("\n")) {
        value += `${line}\n`;
        try {
            values.push(JSON.parse(value));
            value = "";
        } catch {
            // Goes on in the next line.
        }
    }
    return values;
}
