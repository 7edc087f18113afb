/** What a store was started with, by its arguments and variables. */
export interface StoreCommand {
    /** Lists of drives, as paths or as URLs, with ranges. Each list of several hosts is a pool. */
    volumes: string[];
    /** Values of options that this project sets itself, or that have a variable, by name. */
    options: { [name: string]: string };
}

/** Options without a value. Every other one takes the next argument. */
const FLAGS = ["quiet", "anonymous", "json", "console-enable", "tls-enable"];

/** What an entry point puts before the store's program. */
const BEFORE_PROGRAM = /(^|\/)(docker-init|tini|dumb-init)$|^--$|entrypoint\.sh$/;

/** The store's program: a name, or a path. A path may be that of a drive as well, unless it is in a folder of programs. */
const PROGRAM = /^(?:.*\/s?bin\/)?(minio|rustfs)$/;
const PATH_OF_PROGRAM = /^.*\/(minio|rustfs)$/;

/** Name of the store's program in a container's arguments. Undefined if they don't name it, and its entry point does. */
export function programOf(args: readonly string[]): string | undefined {
    const [first = "", second] = args.filter((arg) => !BEFORE_PROGRAM.test(arg));
    return (PROGRAM.exec(first) ?? (second === "server" ? PATH_OF_PROGRAM.exec(first) : undefined))?.[1];
}

/**
 * Splits the arguments of `minio server` or `rustfs`, as a container has them.
 *
 * @param args The container's entry point and command. Undefined is returned for what a shell would split.
 * @param fallback Value of the variable that names the drives.
 */
export function splitCommand(args: readonly string[], fallback: string | undefined): StoreCommand | undefined {
    if (args.includes("-c")) {
        return undefined;
    }
    const words: string[] = [];
    const options: { [name: string]: string } = {};
    const first = args.findIndex((arg) => !BEFORE_PROGRAM.test(arg));
    const given = first < 0 ? [] : args.slice(programOf(args) === undefined ? first : first + 1);
    for (let place = 0; place < given.length; place++) {
        const arg = given[place] ?? "";
        const [, name, value] = /^--?([a-z-]+)(?:=(.*))?$/i.exec(arg) ?? [];
        if (name === undefined) {
            words.push(arg);
        } else if (value !== undefined) {
            options[name] = value;
        } else if (!FLAGS.includes(name)) {
            options[name] = given[++place] ?? "";
        }
    }
    const volumes = words[0] === "server" ? words.slice(1) : words;
    const named = volumes.length > 0 ? volumes : (fallback ?? "").split(/\s+/).filter((one) => one !== "");
    return { volumes: named, options };
}
