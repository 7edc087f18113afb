/** Variable that is set if a health check isn't run by Docker's own schedule. Its timeouts aren't counted then. */
export const HEALTH_QUESTION = "HEALTH_QUESTION";

/** Variable with the version of the secrets that a node's container is made for. */
export const SECRETS_VERSION = "SECRETS_VERSION";

/** Name of the file that holds the version of the other files in its folder. */
export const VERSION_FILE = "version";

/** Name of the link in the volume that points to the current files. */
export const CURRENT = "current";

/**
 * Prefix of the names of the links that point to the files of one version; the version follows. Used if former versions are
 * kept.
 */
export const OF_VERSION = "of-";

/** File of a cluster's first node, in the volume of its secrets, that records a migration to another store. */
export const MARK_FILE = "store";

/** Folder of log files (service contract, section 1). */
export const LOG_DIRECTORY = "/logs";

/** Folder in a node's container that its secrets are mounted at. */
export const SECRETS_PATH = "/run/store";
