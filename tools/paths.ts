import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The project's own folder. */
export const PROJECT = resolve(__dirname, "..");

/** Files of this machine only: state, passphrase, working copies, logs. Ignored by git. */
export const LOCAL = join(PROJECT, ".local");

/** Folder for long outputs. */
export const LOGS = join(LOCAL, "logs");

/** Cache of slow builds, shared by every checkout on this machine. */
export const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "pulumi-docker-object-store");

/** Pulumi's own folder. */
export const PULUMI_HOME = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
