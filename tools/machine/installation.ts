import { say, StepError } from "../cli/step";

/** Something that a command installs on this machine. */
export interface Installation {
    /** What it is, its source, and how it is verified. */
    description: string;
    /** Commands to install it manually. */
    commands: string[];
}

let forbidden = false;

/** Descriptions that were already printed. */
const announced = new Set<string>();

/** Refuses all further installations, with the commands to do them manually: `--no-install`. */
export function forbidInstalling(): void {
    forbidden = true;
}

/**
 * Announces an installation before it starts.
 *
 * @throws {StepError} with the commands, after {@link forbidInstalling}.
 */
export function announce(installations: Installation[]): void {
    if (installations.length === 0) {
        return;
    }
    if (forbidden) {
        throw new StepError(
            `--no-install: these are missing, and nothing was installed\n${descriptionsOf(installations)}\n` +
                `To install them yourself, as root where the command says sudo:\n` +
                installations.flatMap(({ commands }) => commands.map((command) => `    ${command}`)).join("\n"),
        );
    }
    const unknown = installations.filter(({ description }) => !announced.has(description));
    unknown.forEach(({ description }) => announced.add(description));
    if (unknown.length > 0) {
        say(`installing (with --no-install this stops here, and names the commands):\n${descriptionsOf(unknown)}`);
    }
}

function descriptionsOf(installations: Installation[]): string {
    return installations.map(({ description }) => `  - ${description}`).join("\n");
}
