import { parse } from "yaml";
import { bytesOf, shortMount, wordsOf, type ContainerShape, type Place, type ShapeMount } from "./containerShape";

/** The parts of a compose file that a container is made from (compose-spec). */
interface ComposeFile {
    services: { [name: string]: ComposeService };
    volumes?: { [name: string]: { name?: string; external?: boolean } | null };
}

interface ComposeService {
    image: string;
    container_name?: string;
    hostname?: string;
    command?: string | string[];
    entrypoint?: string | string[];
    environment?: { [name: string]: string | number | boolean } | string[];
    /** Here the file's text. */
    env_file?: string;
    volumes?: (string | { type: string; source?: string; target: string })[];
    tmpfs?: string;
    user?: string | number;
    restart?: string;
    networks?: string[] | { [name: string]: { aliases?: string[] } | null };
    secrets?: string[];
    labels?: { [name: string]: string };
    ports?: string[];
    deploy?: { resources?: { limits?: { memory?: string; cpus?: string } } };
}

/** The containers that `docker compose up` makes of a file. */
export function composeContainers(text: string, place: Place): ContainerShape[] {
    const resolved = text.replaceAll(/\$\{(\w+):?-([^}]*)\}/g, "$2");
    const { services, volumes = {} } = parse(resolved, { merge: true }) as ComposeFile;
    return Object.entries(services).map(([name, service]) => containerOf(name, service, volumes, place));
}

function containerOf(
    name: string,
    service: ComposeService,
    volumes: NonNullable<ComposeFile["volumes"]>,
    place: Place,
): ContainerShape {
    const { networks = [], deploy, secrets = [], command = [], entrypoint, labels } = service;
    const { memory = "0", cpus = "0" } = deploy?.resources?.limits ?? {};
    const volumeOf = (key: string) =>
        volumes[key]?.name ?? (volumes[key]?.external === true ? key : `${place.project}_${key}`);
    const mounts = (service.volumes ?? []).map((mount): ShapeMount => {
        const short = typeof mount === "string" ? mount : `${mount.source ?? ""}:${mount.target}`;
        return shortMount(short.replace(/^:/, ""), volumeOf, place);
    });
    return {
        service: name,
        name: service.container_name ?? `${place.project}-${name}-1`,
        image: service.image,
        ...(entrypoint === undefined ? {} : { entrypoint: listOf(entrypoint) }),
        command: listOf(command),
        environment: {
            ...variablesOf((service.env_file ?? "").split("\n")),
            ...variablesOf(service.environment ?? []),
        },
        mounts: [
            ...mounts,
            ...(service.tmpfs === undefined ? [] : [{ at: service.tmpfs, tmpfs: true }]),
            ...secrets.map((secret) => ({
                at: `/run/secrets/${secret}`,
                path: `${place.root ?? ""}/srv/secrets/${secret}`,
            })),
        ],
        hostname: service.hostname,
        aliases: [
            name,
            ...Object.values(networks).flatMap((network) => (network as { aliases?: string[] } | null)?.aliases ?? []),
        ],
        user: String(service.user ?? ""),
        restart: service.restart ?? "no",
        ports: service.ports ?? [],
        labels: { "com.docker.compose.project": place.project, "com.docker.compose.service": name, ...labels },
        memory: bytesOf(memory),
        cpus: Number(cpus),
    };
}

function listOf(words: string | string[]): string[] {
    return typeof words === "string" ? wordsOf(words) : words;
}

function variablesOf(given: NonNullable<ComposeService["environment"]>): { [name: string]: string } {
    const entries = Array.isArray(given)
        ? given
              .filter((line) => line.includes("="))
              .map((line): [string, string] => {
                  const at = line.indexOf("=");
                  return [line.slice(0, at).trim(), line.slice(at + 1)];
              })
        : Object.entries(given);
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
