import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerEngine } from "../../components/docker/engine";
import { aptInstall, debianInstallation, isDebianRoot } from "./debian";
import type { Installation } from "./installation";
import { adoptContext, namedEndpoint } from "../stack/namedEngine";
import { LOGS } from "../paths";
import { outputOf, run } from "./run";
import { say, StepError } from "../cli/step";

const DEFAULT_SOCKET = "unix:///var/run/docker.sock";

/**
 * Finds the Docker engine: DOCKER_HOST, the current context, or the default socket. If none is configured and none
 * runs, installs and starts one, as root on Debian or Ubuntu. Returns the engine's host, for DOCKER_HOST.
 *
 * @throws {StepError} with the command to run, if it can't.
 */
export async function findOrStartDocker(): Promise<string> {
    adoptContext();
    const { url: host } = namedEndpoint();
    const failure = await failureToConnect();
    if (failure === undefined) {
        say(`found a Docker daemon at ${host}`);
        return host;
    }
    if (host !== DEFAULT_SOCKET) {
        throw new StepError(`${failure}\nIt is named by DOCKER_HOST or the current Docker context.`);
    }
    if (failure.includes("EACCES")) {
        throw new StepError(failure);
    }
    if (!isDebianRoot()) {
        throw new StepError(
            `${failure}\nInstall and start Docker, then run this command again. On Debian and Ubuntu:\n` +
                `    sudo apt-get update && sudo apt-get install --yes ${PACKAGES.join(" ")} && sudo systemctl start docker`,
        );
    }
    await installAndStart(host);
    return host;
}

/**
 * What {@link findOrStartDocker} would install: nothing if an engine answers, is configured elsewhere, or is only
 * stopped.
 */
export async function missingDocker(): Promise<Installation[]> {
    adoptContext();
    const needed = namedEndpoint().url === DEFAULT_SOCKET && isDebianRoot() && !(await isInstalled());
    if (!needed || (await failureToConnect()) === undefined) {
        return [];
    }
    const { description, commands } = debianInstallation(PACKAGES);
    return hasSystemd()
        ? [
              {
                  description: `Docker, started now and at each boot: ${description}`,
                  commands: [...commands, `sudo ${ENABLE.join(" ")}`],
              },
          ]
        : [{ description: `Docker: ${description}`, commands }];
}

async function failureToConnect(): Promise<string | undefined> {
    return DockerEngine.connect().then(
        () => undefined,
        (error: unknown) => (error as Error).message,
    );
}

/**
 * A killed daemon leaves its PID file behind. Its PID may belong to another program by now, and the next daemon would
 * wait for it.
 */
function removeStalePidFile(file: string, program: string): void {
    if (!existsSync(file)) {
        return;
    }
    const name = join("/proc", readFileSync(file, "utf8").trim(), "comm");
    if (!existsSync(name) || readFileSync(name, "utf8").trim() !== program) {
        rmSync(file);
    }
}

const PACKAGES = ["docker.io", "iptables"];

const ENABLE = ["systemctl", "enable", "--now", "docker"];

async function isInstalled(): Promise<boolean> {
    const versions = await Promise.all(["dockerd", "iptables"].map((program) => outputOf(program, ["--version"])));
    return !versions.includes(undefined);
}

function hasSystemd(): boolean {
    return existsSync("/run/systemd/system");
}

async function installAndStart(host: string): Promise<void> {
    const installed = await isInstalled();
    if (!installed) {
        await aptInstall(PACKAGES);
    }
    if (hasSystemd()) {
        say(`starting the Docker daemon through systemd${installed ? "" : ", now and at each boot"}`);
        // The owner decides whether an existing daemon starts at boot.
        const [program = "", ...args] = installed ? ["systemctl", "start", "docker"] : ENABLE;
        await run(program, args);
    } else {
        removeStalePidFile("/var/run/docker.pid", "dockerd");
        removeStalePidFile("/var/run/docker/containerd/containerd.pid", "containerd");
        const log = join(LOGS, "dockerd.log");
        say(`starting dockerd in the background, its log in ${log}`);
        mkdirSync(LOGS, { recursive: true });
        const output = openSync(log, "a");
        spawn("dockerd", [], { detached: true, stdio: ["ignore", output, output] }).unref();
    }
    for (let waited = 0; waited < 60; waited++) {
        if ((await failureToConnect()) === undefined) {
            return;
        }
        await sleep(1000);
    }
    throw new StepError(`dockerd was started but doesn't answer at ${host} after 60 s: see its log`);
}
