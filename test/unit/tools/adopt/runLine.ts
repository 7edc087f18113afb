import { bytesOf, shortMount, wordsOf, type ContainerShape, type Place } from "./containerShape";

/** Options of `docker run` without a value. */
const FLAGS = ["-d", "-i", "-t", "-it", "-dt", "-dit", "--detach", "--rm", "--init"];

/** Short names of options. */
const LONG: { [option: string]: string } = {
    "-p": "--publish",
    "-v": "--volume",
    "-e": "--env",
    "-u": "--user",
    "-h": "--hostname",
    "-m": "--memory",
};

/** The container that a line of `docker run` makes. Its name and its volumes get the project's prefix. */
export function runContainer(line: string, place: Place): ContainerShape {
    const options: { [option: string]: string[] } = {};
    const words = wordsOf(line.replace(/^\s*(sudo )?docker (container )?run/, ""));
    while (words[0]?.startsWith("-") === true) {
        const [name = "", value] = (words.shift() ?? "").split(/=(.*)/s);
        if (!FLAGS.includes(name)) {
            (options[LONG[name] ?? name] ??= []).push(value ?? words.shift() ?? "");
        }
    }
    const [image = "", ...command] = words;
    const one = (name: string) => options[name]?.at(-1);
    const volumeOf = (name: string) => `${place.project}-${name}`;
    return {
        service: "",
        name: `${place.project}-${one("--name") ?? "zealous_noether"}`,
        image,
        ...(one("--entrypoint") === undefined ? {} : { entrypoint: [one("--entrypoint") ?? ""] }),
        command,
        environment: Object.fromEntries(
            (options["--env"] ?? []).map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string]),
        ),
        mounts: (options["--volume"] ?? []).map((text) => shortMount(text, volumeOf, place)),
        hostname: one("--hostname"),
        aliases: [],
        user: one("--user") ?? "",
        restart: one("--restart") ?? "no",
        labels: {},
        ports: options["--publish"] ?? [],
        memory: bytesOf(one("--memory") ?? "0"),
        cpus: Number(one("--cpus") ?? "0"),
    };
}
