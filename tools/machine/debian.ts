import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { announce, type Installation } from "./installation";
import { LOGS } from "../paths";
import { outputOf, run } from "./run";
import { StepError } from "../cli/step";

/** Seconds to wait for other package installations: a machine that was just started updates its packages by itself. */
const WAIT_FOR_LOCK = ["--option", "DPkg::Lock::Timeout=600"];

/** Whether this is Debian or a derivative, and this process may install packages. */
export function isDebianRoot(): boolean {
    const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
    return process.getuid?.() === 0 && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
}

/** Describes the installation of Debian packages. */
export function debianInstallation(packages: string[]): Installation {
    return {
        description: `the Debian packages ${packages.join(", ")}, which apt checks by the archive's signature`,
        commands: [aptCommand(packages)],
    };
}

/**
 * Installs Debian packages, and announces it first.
 *
 * @throws {StepError} with the command to run, if it isn't permitted.
 */
export async function aptInstall(packages: string[]): Promise<void> {
    if (!isDebianRoot()) {
        throw new StepError(
            `these Debian packages are needed: install them as root, then run this command again\n` +
                `    ${aptCommand(packages)}`,
        );
    }
    announce([debianInstallation(packages)]);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const log = join(LOGS, "apt.log");
    await run("apt-get", [...WAIT_FOR_LOCK, "update"], { env, log });
    await run("apt-get", [...WAIT_FOR_LOCK, "install", "--yes", "--no-install-recommends", ...packages], { env, log });
}

/**
 * Finds programs, and installs missing ones from Debian's packages.
 *
 * @param programs Names of programs, by their packages.
 * @param found Called with the path of each installed program.
 * @throws {StepError} with the command to run, if installing packages isn't permitted.
 */
export async function findOrInstallPrograms(
    programs: { [debianPackage: string]: string },
    found: (path: string) => void = () => undefined,
): Promise<void> {
    const missing = await missingPackages(programs, found);
    if (missing.length > 0) {
        await aptInstall(missing);
    }
}

/**
 * The Debian packages of programs that aren't installed.
 *
 * @param found Called with the path of each installed program.
 */
export async function missingPackages(
    programs: { [debianPackage: string]: string },
    found: (path: string) => void = () => undefined,
): Promise<string[]> {
    const missing: string[] = [];
    for (const [debianPackage, program] of Object.entries(programs)) {
        const path = await outputOf("sh", ["-c", `command -v ${program}`]);
        if (path === undefined) {
            missing.push(debianPackage);
        } else {
            found(path);
        }
    }
    return missing;
}

function aptCommand(packages: string[]): string {
    return `sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${packages.join(" ")}`;
}
