/** What an engine knows of an image, and what is in it. */
export interface ImageFacts {
    environment: { [name: string]: string };
    tags: string[];
    digests: string[];
    /** What its store's program prints for `--version`. */
    version: string;
    /** What its store's program prints as its help. */
    help: string;
    /** Programs that this project needs and the image lacks. */
    missing: string[];
    /** Program that its entry point starts if the command doesn't name it. Empty: it has no entry point. */
    program: string;
}

/** What containers and drives of an engine are like while a store runs. */
export interface Recorded {
    images: { [reference: string]: ImageFacts };
    /** Arguments of the processes of containers, by service or name. Default: the container's command. */
    processes: { [container: string]: string[][] };
    /** Containers that don't run, by service or name. */
    stopped: string[];
    /** Text of the format file of each drive, by volume or folder. */
    formats: { [drive: string]: string };
    /** Volumes beside those with a format file. */
    volumes: string[];
    /** The root keys that the store takes. */
    keys: [string, string];
    region: string;
    /** Status of unsigned answers, by path. Default: 200 for the health of both stores. */
    health: { [path: string]: number };
    /** Text of files in containers, by path. */
    files: { [path: string]: string };
    /** Port that S3 is served at, with or without TLS. */
    origin: string;
}
