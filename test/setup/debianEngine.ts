import Docker from "dockerode";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyImages } from "../../tools/images/engineImages";
import { DEBIAN_OPTIONS, findOrInstallMmdebstrap } from "../../tools/images/debianRoot";
import { buildGoProgram } from "../../tools/images/goPrograms";
import { namedEngine } from "../../tools/stack/namedEngine";
import { run } from "../../tools/machine/run";
import { say, StepError } from "../../tools/cli/step";
import { CACHE, LOGS, PROJECT } from "../../tools/paths";

/** Where an engine comes from. */
interface EngineSource {
    /** Debian release of its root folder. */
    release: string;
    /** Release of the engine's Go module, built for an engine that is in no Debian release. Default: the release's package. */
    moby?: string;
}

/** Docker's versions, by the name to call them. */
export const ENGINES: { readonly [version: string]: EngineSource } = {
    "20.10": { release: "bookworm" },
    "26.1": { release: "trixie" },
    "28.5": { release: "forky" },
    // Named by us: the module's own list has 29.8.0 as its last release.
    "29.8": { release: "forky", moby: "v2.0.0-beta.24" },
};

const MOBY = "github.com/moby/moby/v2";

const SCRIPT = join(__dirname, "debianEngine.sh");

/** Longest time for the engine to answer after its start, in seconds. */
const START_SECONDS = 60;

/** How an engine runs: as root, with the users of containers mapped to others (`userns-remap`), or without root. */
export const MODES = ["root", "userns", "rootless"] as const;

export type Mode = (typeof MODES)[number];

const PACKAGES = ["docker.io", "iptables", "ca-certificates", "procps"];

/** What an engine without root needs besides. */
const ROOTLESS_PACKAGES = ["rootlesskit", "slirp4netns", "uidmap", "iproute2", "dbus-user-session"];

/**
 * A Docker engine in the root folder of a Debian release, beside this machine's own. It has a root folder and a network namespace of its own:
 * what is to reach its published ports has to run in that namespace. Only root can start it.
 */
export class DebianEngine {
    private constructor(
        private readonly name: string,
        private readonly root: string,
        private readonly state: string,
        private readonly mode: Mode,
    ) {}

    /**
     * Builds the root folder where it is missing, and starts the engine.
     *
     * @param version One of {@link ENGINES}.
     * @throws {StepError} if it doesn't answer, or has another version.
     */
    static async start(version: string, mode: Mode): Promise<DebianEngine> {
        const { release = "", moby }: Partial<EngineSource> = ENGINES[version] ?? {};
        const isRootless = mode === "rootless";
        const root = join(CACHE, "engines", isRootless ? `${release}-rootless` : release);
        await buildRoot(release, isRootless ? [...PACKAGES, ...ROOTLESS_PACKAGES] : PACKAGES, root);
        const program = moby === undefined ? undefined : await buildEngine(version, moby);
        const state = mkdtempSync(join(tmpdir(), "engine-"));
        const engine = new DebianEngine(`engine-${version}-${process.pid}`, root, state, mode);
        try {
            if (program !== undefined) {
                copyFileSync(program, join(state, "dockerd"));
            }
            await engine.script("up", PROJECT, tmpdir(), state);
            await engine.untilAnswering(version);
            return engine;
        } catch (error) {
            await engine.remove();
            throw error;
        }
    }

    /** Its address, for DOCKER_HOST. */
    get dockerHost(): string {
        return `unix://${this.socket}`;
    }

    /** Copies images from the engine that this process deploys to. */
    async load(images: readonly string[]): Promise<void> {
        await copyImages(await namedEngine(), new Docker({ socketPath: this.socket }), images);
    }

    /** Runs a command in the engine's network namespace, and passes signals on to it. Returns its exit code. */
    async run([program = "", ...args]: string[], env: NodeJS.ProcessEnv): Promise<number> {
        const child = spawn("nsenter", [`--net=/run/netns/${this.name}`, program, ...args], {
            cwd: PROJECT,
            env: { ...env, DOCKER_HOST: this.dockerHost },
            stdio: "inherit",
        });
        // This program goes on, and removes the engine. A terminal sends SIGINT to the command too.
        process.on("SIGINT", () => undefined).on("SIGTERM", () => child.kill());
        const [code] = (await once(child, "exit")) as [number | null];
        return code ?? 1;
    }

    /** Ends the engine with its containers, and removes its data. The root folder stays for the next run. */
    async remove(): Promise<void> {
        await this.script("down");
    }

    private get socket(): string {
        return join(this.state, "docker.sock");
    }

    private async untilAnswering(version: string): Promise<void> {
        const docker = new Docker({ socketPath: this.socket });
        for (let second = 0; second < START_SECONDS; second++) {
            const found = await docker.version().catch(() => undefined);
            if (found?.Version.startsWith(`${version}.`)) {
                say(`Docker ${found.Version}, API ${found.ApiVersion}, kernel ${found.KernelVersion}`);
                return;
            }
            if (found !== undefined) {
                throw new StepError(
                    `it is Docker ${found.Version} and not ${version}: correct ENGINES in test/setup/debianEngine.ts, ` +
                        `or remove ${this.root} if it is old`,
                );
            }
            await sleep(1000);
        }
        await run("tail", ["-n", "20", join(this.state, "dockerd.log")]);
        throw new StepError(`Docker ${version} doesn't answer ${START_SECONDS} s after its start`);
    }

    private async script(...args: string[]): Promise<void> {
        const env = { ...process.env, NAME: this.name, ROOT: this.root, STATE: this.state, MODE: this.mode };
        // The engine keeps running, so its output isn't read.
        const child = spawn(SCRIPT, args, { env, stdio: ["ignore", "ignore", "inherit"] });
        const [code] = (await once(child, "exit")) as [number | null];
        if (code !== 0) {
            throw new Error(`${SCRIPT} ${args[0]} ended with ${code}`);
        }
    }
}

/** Builds the engine's program from its Go module. */
function buildEngine(version: string, moby: string): Promise<string> {
    const variables = { [`${MOBY}/dockerversion.Version`]: `${version}.0` };
    return buildGoProgram(`Docker ${version}`, "dockerd", `${MOBY}/cmd/dockerd@${moby}`, "4 minutes", { variables });
}

async function buildRoot(release: string, packages: readonly string[], root: string): Promise<void> {
    if (existsSync(root)) {
        return;
    }
    await findOrInstallMmdebstrap();
    say(`building a root folder of Debian ${release} with ${packages.join(", ")}`);
    mkdirSync(join(CACHE, "engines"), { recursive: true });
    const unfinished = `${root}.unfinished`;
    await run("rm", ["-rf", unfinished]);
    await run(
        "mmdebstrap",
        ["--mode=root", "--variant=minbase", `--include=${packages.join(",")}`, ...DEBIAN_OPTIONS, release, unfinished],
        { log: join(LOGS, `engine-${basename(root)}.log`) },
    );
    renameSync(unfinished, root);
}
