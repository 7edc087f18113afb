import { aptInstall } from "./debian";
import { outputOf } from "./run";
import { say } from "./step";

/** Programs that tests run on this host, by the Debian packages that have them. */
const PROGRAMS = {
    // The command that `npm run up` suggests.
    curl: "curl",
    // The console is tested in it.
    chromium: "chromium",
    // Adds an authority to those that Chromium trusts.
    "libnss3-tools": "certutil",
    // Gives Chromium a network of its own.
    iproute2: "ip",
};

/**
 * Finds curl, and Chromium with what gives it an authority to trust and a network; installs from Debian's packages what is
 * missing.
 *
 * @throws {StepError} with the command to run, where packages may not be installed.
 */
export async function findOrInstallTestPrograms(): Promise<void> {
    const missing: string[] = [];
    for (const [debianPackage, program] of Object.entries(PROGRAMS)) {
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
