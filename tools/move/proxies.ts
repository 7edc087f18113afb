import type Docker from "dockerode";
import { join } from "node:path";
import { textOfFrames } from "../../components/engine/dockerStreams";
import { poll, type Clock } from "../../components/engine/poll";
import { script } from "../../components/engine/script";
import { changesTableOf, movedBackendOf } from "../../components/haproxy/moves";
import { MASTER_SOCKET, MOVE_FILE, RELOAD_LOCK } from "../../components/traffic/proxyFiles";
import { StepError } from "../machine/step";

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
    /** Number of running requests that began before the proxy was prepared. Each may change something. */
    earlier: number;
    /** Number of the other store's front ends that are up. */
    up: number;
    /** Whether requests that change something are held now. */
    isPaused: boolean;
    /** Whether requests go to the other store. */
    isMoved: boolean;
}

/** A change of that state; see setMove.pl. */
export type MoveAction = "record" | "hold" | "resume" | "forward" | "return" | { pause: number };

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

    /** @throws {StepError} if a proxy isn't prepared for this move. */
    states(): Promise<MoveState[]> {
        return this.ofAll(["status"]);
    }

    /** Changes the state in all proxies. @throws {StepError} if one of them doesn't. */
    async set(action: MoveAction): Promise<void> {
        await this.ofAll(typeof action === "string" ? [action] : ["pause", String(action.pause)]);
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

    private ofAll(args: string[]): Promise<MoveState[]> {
        return Promise.all(
            this.proxies.map(async (proxy) =>
                stateOf(
                    await this.run(proxy, [this.name, changesTableOf({}), movedBackendOf({}), ...args]),
                    this.clock.now(),
                ),
            ),
        );
    }
}

const PROGRAM = [
    script(join(__dirname, "..", "..", "components", "traffic"), "askMaster.pl"),
    script(__dirname, "setMove.pl"),
].join("\n");

async function runInProxy({ docker, container }: MovedProxy, args: string[]): Promise<string> {
    const exec = await docker.getContainer(container).exec({
        Cmd: ["perl", "-e", PROGRAM, ...args],
        Env: [`MASTER_SOCKET=${MASTER_SOCKET}`, `RELOAD_LOCK=${RELOAD_LOCK}`, `MOVE_FILE=${MOVE_FILE}`],
        AttachStdout: true,
        AttachStderr: true,
    });
    const parts: Buffer[] = [];
    for await (const part of await exec.start({})) {
        parts.push(part as Buffer);
    }
    const output = textOfFrames(Buffer.concat(parts));
    const { ExitCode: code } = await exec.inspect();
    if (code !== 0) {
        throw new StepError(`${container}: ${output.trim()}`);
    }
    return output;
}

function stateOf(text: string, now: number): MoveState {
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    return {
        changes: value("changes"),
        old: value("old"),
        earlier: value("earlier"),
        up: value("up"),
        isPaused: value("paused") * 1000 > now,
        isMoved: value("moved") === 1,
    };
}
