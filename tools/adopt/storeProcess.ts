/** A store's process: its program, and what that was started with. */
export interface StoreProcess {
    store: "minio" | "rustfs";
    /** Path of the program, as it was started. */
    program: string;
    /** Lists of drives, as paths or as URLs, with ranges. Each list of several hosts is a pool. Empty if a variable has them. */
    volumes: string[];
    /** Values of options, by name. Those without a value have the value `true`. */
    options: { [name: string]: string };
}

/** Options without a value. Every other one takes the next argument. */
const FLAGS = [
    ...["quiet", "anonymous", "json", "no-compat", "pre-allocate", "dev"],
    ...["console-enable", "kms-enable", "kms-allow-insecure-dev-defaults", "buffer-profile-disable"],
];

const PROGRAM = /^(?:.*\/)?(minio|rustfs)$/;

/**
 * The process of a store among a container's processes. Undefined if there is none: neither an entry point, nor MinIO's client or
 * gateway is one.
 *
 * @param processes The arguments of each process, the program first.
 */
export function storeProcessOf(processes: readonly string[][]): StoreProcess | undefined {
    const found = processes.map(processIn).filter((process) => process !== undefined);
    return found[0];
}

function processIn([program = "", ...args]: string[]): StoreProcess | undefined {
    const store = PROGRAM.exec(program)?.[1] as StoreProcess["store"] | undefined;
    const { words, options } = splitOptions(args);
    const [first, ...rest] = words;
    if (store === undefined || (store === "minio" && first !== "server")) {
        return undefined;
    }
    return { store, program, options, volumes: first === "server" ? rest : words };
}

function splitOptions(args: readonly string[]): { words: string[]; options: { [name: string]: string } } {
    const words: string[] = [];
    const options: { [name: string]: string } = {};
    for (let index = 0; index < args.length; index++) {
        const arg = args[index] ?? "";
        const [, name, value] = /^--?([a-z-]+)(?:=([^]*))?$/i.exec(arg) ?? [];
        if (name === undefined) {
            words.push(arg);
        } else {
            options[name] = value ?? (FLAGS.includes(name) ? "true" : (args[++index] ?? ""));
        }
    }
    return { words, options };
}
