/** Variable that is set where a health check is run out of turn, and must count nothing. */
export const HEALTH_QUESTION = "HEALTH_QUESTION";

/** Variable with the version of the secrets that a node's container is made for. */
export const SECRETS_VERSION = "SECRETS_VERSION";

/** Name of the file, beside the others, that holds their version. */
export const VERSION_FILE = "version";

/** Name of the link in the volume that leads to the files in force. */
export const CURRENT = "current";

/** How the names of the links beside it begin that lead to the files of a version, which follows; where versions are kept. */
export const OF_VERSION = "of-";

/** Folder in a node's container where its secrets are mounted. */
export const SECRETS_PATH = "/run/store";
