import { setTimeout as sleep } from "node:timers/promises";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { OPEN_FILES } from "./peers";
import { loadScript, outcomeOf, type Load, type LoadOutcome } from "./h2load";

/** Longest wait for free disk space. */
const ROOM_SECONDS = 120;

/** A container on a network that generates load. */
export class LoadContainer {
    private constructor(
        private readonly name: string,
        private readonly host: DockerHost,
    ) {}

    /** @param host Default: the engine that this process deploys to. */
    static async start(name: string, image: string, network: string, host = new DockerHost()): Promise<LoadContainer> {
        const load = new LoadContainer(name, host);
        const container = await load.host.docker.createContainer({
            name,
            Image: image,
            Entrypoint: ["sleep", "infinity"],
            HostConfig: {
                NetworkMode: network,
                Init: true,
                Ulimits: [{ Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES }],
            },
        });
        await container.start();
        return load;
    }

    /** Writes lines to a file. */
    async write(file: string, lines: string[]): Promise<void> {
        await this.shell(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} > ${file}`);
    }

    /**
     * Waits until the engine's disk has free space. Stores delete overwritten data only after a while.
     *
     * @throws {Error} if there is no space in time: a measurement on a full disk is useless.
     */
    async waitForRoom(bytes: number): Promise<void> {
        const deadline = Date.now() + ROOM_SECONDS * 1000;
        for (;;) {
            const free = Number((await this.shell("df --output=avail --block-size=1 /tmp | tail -n 1")).trim());
            if (free >= bytes) {
                return;
            }
            if (Date.now() >= deadline) {
                throw new Error(`${gibibytes(free)} are free on the engine's disk, and ${gibibytes(bytes)} are needed`);
            }
            await sleep(1000);
        }
    }

    /** Runs a load, and returns its result. */
    async run(load: Load): Promise<LoadOutcome> {
        return outcomeOf(await this.shell(loadScript(load)), load.opening);
    }

    /** Runs a shell script, and returns its output. */
    shell(script: string): Promise<string> {
        return this.host.exec(this.name, ["/bin/sh", "-ec", script]);
    }
}

function gibibytes(bytes: number): string {
    return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
