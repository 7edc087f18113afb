import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../components/docker/engineEndpoint";
import { writeWhole } from "./wholeFiles";

/** Options for ssh clients, separated by spaces. Both this program and the Docker provider read them. */
const SSH_OPTIONS = "DOCKER_SSH_OPTS";

/** Number of operations that Pulumi does at the same time. */
const PARALLEL = "PULUMI_PARALLEL";

/**
 * Operations at the same time, so that one connection is enough: sshd's default is ten sessions for each. Each operation
 * has one, and the program and the command that runs Pulumi have up to four and one.
 */
const OPERATIONS = 5;

/** Seconds after its last session in which a shared connection is kept. */
const KEPT_SECONDS = 60;

/** Longest path of a folder in which ssh can make a socket: of 107 characters, it uses 58 for the name. */
const LONGEST_FOLDER = 49;

/**
 * Makes all ssh clients share one connection for each host: those of this program, of the program that Pulumi runs, and of
 * the Docker provider. What the user's own ssh configuration says has precedence, as do the options in `DOCKER_SSH_OPTS`.
 *
 * Nothing is shared if no private folder can be made for the sockets, or if its path can't be an option.
 *
 * @param folders Folders for the sockets, in the order of preference.
 */
export function shareSshConnections(environment: Environment, folders = socketFolders(environment)): void {
    const folder = folders.find((one) => one.length <= LONGEST_FOLDER && !/\s/.test(one) && isPrivate(one));
    const given = (environment[SSH_OPTIONS] ?? "").split(/\s+/).filter(Boolean);
    if (folder === undefined || given.some((option) => option.startsWith(folder))) {
        return;
    }
    const { files, others } = configurationFiles(given);
    const text = configuration(files, folder);
    const file = join(folder, `config-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`);
    writeWhole(file, text, { mode: 0o600 });
    environment[SSH_OPTIONS] = [...others, "-F", file].join(" ");
}

/** Limits the operations that Pulumi does at the same time on engines by ssh, unless the user has set a number. */
export function limitSessions(environment: Environment): void {
    environment[PARALLEL] ??= String(OPERATIONS);
}

/** The configuration files that ssh would read, and the options that don't name one. */
function configurationFiles(options: string[]): { files: string[]; others: string[] } {
    const index = options.map((option) => option.startsWith("-F")).lastIndexOf(true);
    if (index < 0) {
        return { files: ["~/.ssh/config", "/etc/ssh/ssh_config"], others: options };
    }
    const isSeparate = options[index] === "-F";
    const file = isSeparate ? options[index + 1] : options[index]?.slice(2);
    const others = options.filter((_, at) => at !== index && !(isSeparate && at === index + 1));
    return { files: file === undefined || file === "none" ? [] : [file], others };
}

/** A configuration for ssh, which uses the first value that it finds for each keyword. */
function configuration(files: string[], folder: string): string {
    return [
        ...files.map((file) => `Include "${file}"`),
        "Host *",
        "    ControlMaster auto",
        `    ControlPath ${join(folder, "%C")}`,
        `    ControlPersist ${KEPT_SECONDS}`,
        "    # If the host is gone, the connection ends within a minute.",
        "    ServerAliveInterval 15",
        "",
    ].join("\n");
}

function socketFolders({ XDG_RUNTIME_DIR: runtime = "" }: Environment): string[] {
    const own = `docker-object-store-${process.getuid?.() ?? ""}`;
    return [...(existsSync(runtime) ? [join(runtime, own)] : []), join("/tmp", own)];
}

/** Whether a folder exists, or can be made, that nobody else can write to or read. */
function isPrivate(folder: string): boolean {
    try {
        mkdirSync(folder, { mode: 0o700 });
    } catch {
        // It exists, or can't be made.
    }
    const found = lstatSync(folder, { throwIfNoEntry: false });
    return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}
