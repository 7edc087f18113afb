import { aptInstall } from "./debian";
import { outputOf } from "./run";
import { say } from "./step";

/** The command that `npm run up` suggests, by the Debian package that has it. */
const PROGRAMS = { curl: "curl" };

/** Programs that fewer tests run on this host. */
const FURTHER_PROGRAMS = {
    // The console is tested in it.
    chromium: "chromium",
    // Adds an authority to those that Chromium trusts.
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
export async function findOrInstallTestPrograms(further: boolean): Promise<void> {
    const missing: string[] = [];
    for (const [debianPackage, program] of Object.entries(further ? { ...PROGRAMS, ...FURTHER_PROGRAMS } : PROGRAMS)) {
        const path = await outputOf("sh", ["-c", `command -v ${program}`]);
        if (path === undefined) {
            missing.push(debianPackage);
        } else {
            say(`found ${path}`);
        }
    }
    if (missing.length > 0) {
        await aptInstall(missing);
    }
}
