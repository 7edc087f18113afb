/** A container as a compose file or a command line describes it, before an engine makes it. */
export interface ContainerShape {
    /** Name of the service; empty without one. */
    service: string;
    name: string;
    image: string;
    entrypoint?: string[];
    command: string[];
    environment: { [name: string]: string };
    mounts: ShapeMount[];
    hostname?: string;
    aliases: string[];
    user: string;
    restart: string;
    labels: { [name: string]: string };
    /** Published ports, as `docker run --publish` takes them. */
    ports: string[];
    /** Bytes, and CPUs. 0 is none. */
    memory: number;
    cpus: number;
}

/** A mount: of a named volume, of a folder, or of a volume without a name. */
export interface ShapeMount {
    at: string;
    volume?: string;
    path?: string;
    tmpfs?: boolean;
}

/** Where shapes are: the prefix of names on the engine, and the folder that stands for the host's root. */
export interface Place {
    project: string;
    /** Default: empty, so that paths are those of the text. */
    root?: string;
}

const BYTES: { [unit: string]: number } = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes of a size such as `2g` or `512M`. */
export function bytesOf(size: string): number {
    const [, number = "0", unit = ""] = /^([\d.]+)([kmg]?)i?b?$/i.exec(size) ?? [];
    return Number(number) * (BYTES[unit.toLowerCase()] ?? 1);
}

/** A mount in the short form, `source:target:mode`. Without a source it is a volume without a name. */
export function shortMount(
    text: string,
    volumeOf: (name: string) => string,
    { project, root = "" }: Place,
): ShapeMount {
    const [source = "", target] = text.split(":");
    if (target === undefined) {
        return { at: source };
    }
    if (/^[./~]/.test(source)) {
        const folder = source.replace(/^\.(?=\/|$)/, `/srv/${project}`).replace(/^~/, "/home/user");
        return { at: target, path: root + folder.replace(/(?<=.)\/$/, "") };
    }
    return { at: target, volume: volumeOf(source) };
}

/** Words of a command line, with quotes as in a shell. */
export function wordsOf(line: string): string[] {
    const words = line.replaceAll(/\\\n/g, " ").matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g);
    return [...words].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
