import { findOrInstallPrograms } from "./debian";
import { say } from "./step";

/** The command that `npm run up` suggests, by the Debian package that has it. */
const PROGRAMS = { curl: "curl" };

/** Programs that fewer tests run on this host. */
const FURTHER_PROGRAMS = {
    // The console is tested in it.
    chromium: "chromium",
    // Adds a CA to those that Chromium trusts.
    "libnss3-tools": "certutil",
    // Gives Chromium a network of its own.
    iproute2: "ip",
};

/**
 * Finds curl; with further programs Chromium as well, and what gives it a CA to trust and a network. Installs from Debian's packages
 * what is missing.
 *
 * @throws {StepError} with the command to run, where packages may not be installed.
 */
export function findOrInstallTestPrograms(further: boolean): Promise<void> {
    return findOrInstallPrograms(further ? { ...PROGRAMS, ...FURTHER_PROGRAMS } : PROGRAMS, (path) =>
        say(`found ${path}`),
    );
}
