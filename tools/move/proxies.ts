import type Docker from "dockerode";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { textOfFrames } from "../../components/docker/dockerStreams";
import { poll, type Clock } from "../../components/docker/poll";
import { script } from "../../components/docker/script";
import { changesTableOf, movedBackendOf } from "../../components/haproxyConfig/moves";
import { MASTER_SOCKET, MOVE_FILE, RELOAD_LOCK } from "../../components/proxyControl/proxyFiles";
import { StepError } from "../cli/step";

/** A proxy whose clients are moved. */
export interface MovedProxy {
    docker: Docker;
    container: string;
}

/** The state of a move in one proxy. */
export interface MoveState {
    /** Number of running requests that change something, or may. */
    changes: number;
    /** Number of its processes that end with the requests that they have. */
    old: number;
    /** Number of running requests in processes that don't count changes. Each may change something. */
    earlier: number;
    /** Number of the other store's proxies that are up. */
    up: number;
    /** Time for which requests that change something are still held, in seconds. */
    held: number;
    /** Whether requests go to the other store. */
    isMoved: boolean;
}

/** A change of that state; see setMove.pl. */
export type MoveAction = "record" | "hold" | "resume" | "forward" | "return" | { pause: number };

/** Time for a proxy to answer, in seconds. A reload may go on for 15 s of it. */
const ANSWER_SECONDS = 25;

/** The state of a move in all proxies of a store. */
export class MoveSwitch {
    /**
     * @param name Name of the move.
     * @param run Runs the script in a proxy; replaced by tests.
     */
    constructor(
        private readonly proxies: readonly MovedProxy[],
        private readonly name: string,
        private readonly clock: Clock,
        private readonly run = runInProxy,
    ) {}

    /** Names of the proxies' containers. The states are in the same order. */
    get names(): string[] {
        return this.proxies.map(({ container }) => container);
    }

    /** @throws {StepError} that names each proxy that doesn't answer. */
    states(): Promise<MoveState[]> {
        return this.ofAll(["status"]);
    }

    /**
     * Changes the state in all proxies, or in some.
     *
     * @param isMeant Whether a proxy, by its place, is meant. Default: all are.
     * @throws {StepError} that names each proxy that doesn't change it, once all of them have answered.
     */
    async set(action: MoveAction, isMeant: (index: number) => boolean = () => true): Promise<void> {
        await this.ofAll(typeof action === "string" ? [action] : ["pause", String(action.pause)], isMeant);
    }

    /** Waits until the states of all proxies meet a condition. Returns whether they did in time. */
    async until(condition: (state: MoveState) => boolean, seconds: number): Promise<boolean> {
        const met = await poll(async () => ((await this.states()).every(condition) ? true : undefined), {
            clock: this.clock,
            timeout: seconds,
            interval: 200,
        });
        return met === true;
    }

    private async ofAll(args: string[], isMeant: (index: number) => boolean = () => true): Promise<MoveState[]> {
        const all = [this.name, changesTableOf({}), movedBackendOf({}), ...args];
        const answers = await Promise.allSettled(
            this.proxies.filter((_, index) => isMeant(index)).map((proxy) => this.run(proxy, all)),
        );
        const failures = answers.flatMap((answer) =>
            answer.status === "rejected" ? [(answer.reason as Error).message] : [],
        );
        if (failures.length > 0) {
            throw new StepError(failures.join("\n"));
        }
        return answers.flatMap((answer) => (answer.status === "fulfilled" ? [stateOf(answer.value)] : []));
    }
}

const PROGRAM = [
    script(join(__dirname, "..", "..", "components", "proxyControl"), "askMaster.pl"),
    script(__dirname, "setMove.pl"),
].join("\n");

/** @throws {StepError} with the proxy's name, if it refuses or doesn't answer in time. */
async function runInProxy(proxy: MovedProxy, args: string[]): Promise<string> {
    const late = sleep(ANSWER_SECONDS * 1000, undefined, { ref: false }).then(() => {
        throw new StepError(`${proxy.container} has not answered for ${ANSWER_SECONDS} s`);
    });
    return Promise.race([answerOf(proxy, args), late]);
}

async function answerOf({ docker, container }: MovedProxy, args: string[]): Promise<string> {
    const exec = await docker.getContainer(container).exec({
        Cmd: ["perl", "-e", PROGRAM, ...args],
        Env: [`MASTER_SOCKET=${MASTER_SOCKET}`, `RELOAD_LOCK=${RELOAD_LOCK}`, `MOVE_FILE=${MOVE_FILE}`],
        AttachStdout: true,
        AttachStderr: true,
    });
    const output = textOfFrames(await buffer(await exec.start({})));
    const { ExitCode: code } = await exec.inspect();
    if (code !== 0) {
        throw new StepError(`${container}: ${output.trim()}`);
    }
    return output;
}

function stateOf(text: string): MoveState {
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    return {
        changes: value("changes"),
        old: value("old"),
        earlier: value("earlier"),
        up: value("up"),
        held: value("held"),
        isMoved: value("moved") === 1,
    };
}
