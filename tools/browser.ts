import { aptInstall } from "./debian";
import { outputOf } from "./run";
import { say } from "./step";

/** Programs that the test of the console runs, by the Debian packages that have them. */
const PROGRAMS = {
    chromium: "chromium",
    // Adds an authority to those that Chromium trusts.
    "libnss3-tools": "certutil",
    // Gives Chromium a network of its own.
    iproute2: "ip",
};

/** Finds Chromium, and what gives it an authority to trust and a network, or installs them from Debian's packages. */
export async function findOrInstallBrowser(): Promise<void> {
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
        say(`installing ${missing.join(", ")} from Debian's packages`);
        await aptInstall(missing);
    }
}
