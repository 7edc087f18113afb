import { findOrInstallPrograms } from "./debian";
import { say } from "./step";

/** The program of the command in the summary of `npm run up`, by its Debian package. */
const PROGRAMS = { curl: "curl" };

/** Programs that only some tests run on this host. */
const FURTHER_PROGRAMS = {
    // Browser for the tests of the console.
    chromium: "chromium",
    // Adds a CA to Chromium's trusted ones.
    "libnss3-tools": "certutil",
    // Creates a network namespace for Chromium.
    iproute2: "ip",
};

/**
 * Finds curl; with `further` also Chromium, and the tools for its CA and its network. Installs missing ones from
 * Debian's packages.
 *
 * @throws {StepError} with the command to run, if installing packages isn't permitted.
 */
export function findOrInstallTestPrograms(further: boolean): Promise<void> {
    return findOrInstallPrograms(further ? { ...PROGRAMS, ...FURTHER_PROGRAMS } : PROGRAMS, (path) =>
        say(`found ${path}`),
    );
}
