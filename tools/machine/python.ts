import { aptInstall } from "./debian";
import { outputOf } from "./run";
import { say } from "./step";

/** Finds Python with what virtual environments need, or installs both from Debian's packages. */
export async function findOrInstallPython(): Promise<void> {
    const version = await outputOf("python3", ["-c", "import ensurepip, sys, venv; print(sys.version.split()[0])"]);
    if (version !== undefined) {
        say(`found Python ${version}`);
        return;
    }
    await aptInstall(["python3", "python3-venv"]);
}
