import { aptInstall } from "../machine/debian";
import { outputOf } from "../machine/run";

/** Maximum age, in days, of an index of Debian's packages. */
const INDEX_DAYS = 90;

/**
 * Options of mmdebstrap. A mirror may be outdated: an index is valid for this many days after its date, whatever its
 * Valid-Until says. An older one is refused, so that an attacker can't hold back updates for longer. Its signature is
 * always verified.
 */
export const DEBIAN_OPTIONS = [`--aptopt=Acquire::Min-ValidTime "${INDEX_DAYS * 24 * 3600}"`];

/** Installs mmdebstrap where it is missing, and says so. */
export async function findOrInstallMmdebstrap(): Promise<void> {
    if ((await outputOf("mmdebstrap", ["--version"])) === undefined) {
        await aptInstall(["mmdebstrap", "debian-archive-keyring"]);
    }
}
