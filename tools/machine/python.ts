import { aptInstall } from "./debian";
import { outputOf } from "./run";
import { say } from "../cli/step";

/** Finds Python with the modules for virtual environments, or installs them from Debian's packages. */
export async function findOrInstallPython(): Promise<void> {
    const version = await outputOf("python3", ["-c", "import ensurepip, sys, venv; print(sys.version.split()[0])"]);
    if (version !== undefined) {
        say(`found Python ${version}`);
        return;
    }
    await aptInstall(["python3", "python3-venv"]);
}
