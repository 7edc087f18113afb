/** What a store was started with, by its arguments and variables. */
export interface StoreCommand {
    /** Lists of drives, as paths or as URLs, with ranges. Each list of several hosts is a pool. */
    volumes: string[];
    /** Values of options that this project sets itself, or that have a variable, by name. */
    options: { [name: string]: string };
}

/** Options without a value. Every other one takes the next argument. */
const FLAGS = ["quiet", "anonymous", "json", "console-enable", "tls-enable"];

/** Programs of the stores, and the words between them and their options. */
const PROGRAM = /(^|\/)(minio|rustfs)$/;

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
    const volumes: string[] = [];
    const options: { [name: string]: string } = {};
    const given = args.filter((arg) => arg !== "server" && !PROGRAM.test(arg) && !/entrypoint\.sh$/.test(arg));
    for (let place = 0; place < given.length; place++) {
        const arg = given[place] ?? "";
        const [, name, value] = /^--?([a-z-]+)(?:=(.*))?$/i.exec(arg) ?? [];
        if (name === undefined) {
            volumes.push(arg);
        } else if (value !== undefined) {
            options[name] = value;
        } else if (!FLAGS.includes(name)) {
            options[name] = given[++place] ?? "";
        }
    }
    const named = volumes.length > 0 ? volumes : (fallback ?? "").split(/\s+/).filter((one) => one !== "");
    return { volumes: named, options };
}
