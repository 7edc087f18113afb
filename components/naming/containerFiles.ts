/** Variable that tells a health check that it was asked out of turn, and is to count nothing. */
export const HEALTH_QUESTION = "HEALTH_QUESTION";

/** Name of the file, beside the others, that holds their version. */
export const VERSION_FILE = "version";

/** Name of the link in the volume that leads to the files in force. */
export const CURRENT = "current";

/** Folder in a node's container where its secrets are mounted. */
export const SECRETS_PATH = "/run/store";
