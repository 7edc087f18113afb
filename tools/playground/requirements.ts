import { debianInstallation, findOrInstallPrograms, missingPackages } from "../machine/debian";
import { findOrStartDocker, missingDocker } from "../machine/dockerDaemon";
import type { Installation } from "../machine/installation";
import { say, StepError } from "../cli/step";

/** Programs that make the hosts, by their Debian packages. */
const PROGRAMS = {
    iproute2: "ip",
    "util-linux": "nsenter",
    iptables: "iptables",
    // The hosts' own engines. The engine of this machine may run elsewhere.
    "docker.io": "dockerd",
};

/**
 * Checks that this machine can have virtual hosts.
 *
 * @throws {StepError} with what is needed, if it can't.
 */
export function checkMachine(platform: string = process.platform, user: number | undefined = process.getuid?.()): void {
    if (platform !== "linux") {
        throw new StepError(
            `a playground needs Linux, whose network namespaces are its hosts, and this is ${platform}: run the command in a ` +
                "virtual machine with Linux",
        );
    }
    if (user !== 0) {
        throw new StepError(
            "a playground needs root, which alone can make network namespaces: run the command as root, for example with sudo",
        );
    }
}

/** What {@link prepareMachine} would install. */
export async function missingForHosts(): Promise<Installation[]> {
    const docker = await missingDocker();
    const packages = (await missingPackages(PROGRAMS)).filter((name) => docker.length === 0 || name !== "docker.io");
    return [...docker, ...(packages.length === 0 ? [] : [debianInstallation(packages)])];
}

/** Finds or installs the programs of the hosts, and this machine's engine, which has the images. */
export async function prepareMachine(): Promise<void> {
    process.env["DOCKER_HOST"] = await findOrStartDocker();
    await findOrInstallPrograms(PROGRAMS, (path) => say(`found ${path}`));
}
