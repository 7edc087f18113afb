/** Variable that is set where a health check is run out of turn, and must count nothing. */
export const HEALTH_QUESTION = "HEALTH_QUESTION";

/** Variable with the version of the secrets that a node's container is made for. */
export const SECRETS_VERSION = "SECRETS_VERSION";

/** Name of the file, beside the others, that holds their version. */
export const VERSION_FILE = "version";

/** Name of the link in the volume that leads to the files in force. */
export const CURRENT = "current";

/** Name of the link beside it to the files of before the last change, where they are kept. */
export const PREVIOUS = "previous";

/** Folder in a node's container where its secrets are mounted. */
export const SECRETS_PATH = "/run/store";
