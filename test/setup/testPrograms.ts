import { findOrInstallPrograms } from "../../tools/machine/debian";
import { say } from "../../tools/cli/step";

/** Programs that the tests run on this host, by their Debian packages. */
const PROGRAMS = {
    // The command in the summary of `npm run up`.
    curl: "curl",
    // Makes the network namespaces of virtual hosts.
    iproute2: "ip",
    // Reaches engines by ssh://.
    "openssh-client": "ssh",
};

/** Programs that only some tests run on this host. */
const FURTHER_PROGRAMS = {
    // Browser for the tests of the console.
    chromium: "chromium",
    // Adds a CA to Chromium's trusted ones.
    "libnss3-tools": "certutil",
};

/**
 * Finds curl, ip and ssh; with `further` also Chromium, and the tool for its CA. Installs missing ones from
 * Debian's packages.
 *
 * @throws {StepError} with the command to run, if installing packages isn't permitted.
 */
export function findOrInstallTestPrograms(further: boolean): Promise<void> {
    return findOrInstallPrograms(further ? { ...PROGRAMS, ...FURTHER_PROGRAMS } : PROGRAMS, (path) =>
        say(`found ${path}`),
    );
}
