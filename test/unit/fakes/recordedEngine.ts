import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import type Docker from "dockerode";
import { createHash } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { pack } from "tar-stream";
import type { ContainerShape } from "../tools/adopt/containerShape";
import type { Recorded, ImageFacts } from "./recordedFacts";

const HEALTHY = [
    "/minio/health/live",
    "/minio/health/cluster",
    "/minio/health/cluster/read",
    "/health",
    "/health/ready",
];

/** An engine that answers as one does that has these containers. */
export function recordedEngine(shapes: readonly ContainerShape[], recorded: Recorded): RecordedEngine {
    return new RecordedEngine(shapes, recorded);
}

/** It knows only what is asked of an engine while a store is looked for: nothing that starts or changes something. */
export class RecordedEngine {
    /** Drives of the containers that were created, by container's id and path. */
    private readonly created = new Map<string, { Source: string; Target: string }[]>();

    readonly modem = {
        demuxStream: (stream: Readable, output: PassThrough) => stream.on("data", (part: Buffer) => output.write(part)),
    };

    constructor(
        private readonly shapes: readonly ContainerShape[],
        private readonly recorded: Recorded,
    ) {}

    /** The engine's client. */
    get docker(): Docker {
        return this as unknown as Docker;
    }

    /** Containers that were created and not removed. */
    get left(): number {
        return this.created.size;
    }

    listImages = () => Promise.resolve([{ Id: "sha256:any" }]);

    listContainers = ({ filters }: { filters?: { label: string[] } } = {}) => {
        const [label = ""] = filters?.label ?? [];
        const [name = "", value] = label.split("=");
        const found = this.shapes.filter(({ labels }) => label === "" || labels[name] === value);
        return Promise.resolve(found.map((shape) => ({ Names: [`/${shape.name}`], Mounts: inspectedMounts(shape) })));
    };

    getVolume = (name: string) => ({
        inspect: () =>
            [...Object.keys(this.recorded.formats), ...this.recorded.volumes].includes(name)
                ? answer({ Name: name })
                : missing(),
    });

    getImage = (id: string) => ({
        inspect: () => {
            const facts = this.factsOf(id.replace(/^sha256:/, ""));
            return answer({
                Config: { Env: lines(facts.environment) },
                RepoTags: facts.tags,
                RepoDigests: facts.digests,
            });
        },
    });

    createContainer = ({
        HostConfig: host,
    }: {
        HostConfig: { Mounts: { Type: string; Source: string; Target: string }[] };
    }) => {
        const absent = host.Mounts.find(({ Source: source }) => !this.exists(source));
        if (absent !== undefined) {
            const json = {
                message: `invalid mount config for type "${absent.Type}": bind source path does not exist: ${absent.Source}`,
            };
            return Promise.reject(Object.assign(new Error("400"), { statusCode: 400, json }));
        }
        const id = `created-${this.created.size}`;
        this.created.set(id, host.Mounts);
        return Promise.resolve({ id, remove: () => Promise.resolve(this.created.delete(id)) });
    };

    getContainer = (name: string) => {
        const shape = this.shapes.find((one) => one.name === name);
        return {
            inspect: () => (shape === undefined ? missing() : answer(this.inspected(shape))),
            getArchive: ({ path }: { path: string }) => {
                const mount = this.created.get(name)?.find(({ Target: target }) => path.startsWith(`${target}/`));
                const text = mount === undefined ? this.recorded.files[path] : this.recorded.formats[mount.Source];
                return text === undefined || text === "" ? missing() : archiveOf(text);
            },
            exec: ({ Cmd: command }: { Cmd: string[] }) => Promise.resolve(this.exec(shape as ContainerShape, command)),
        };
    };

    private exists(source: string): boolean {
        return source in this.recorded.formats || this.recorded.volumes.includes(source);
    }

    private factsOf(reference: string): ImageFacts {
        const facts = this.recorded.images[reference];
        if (facts === undefined) {
            throw new Error(`nothing is recorded of the image ${reference}`);
        }
        return facts;
    }

    private runs({ service, name }: ContainerShape): boolean {
        return ![service, name].some((known) => this.recorded.stopped.includes(known));
    }

    private inspected(shape: ContainerShape): object {
        const { environment } = this.factsOf(shape.image);
        return {
            Name: `/${shape.name}`,
            Image: `sha256:${shape.image}`,
            Config: {
                Image: shape.image,
                Env: lines({ ...environment, ...shape.environment }),
                Hostname: shape.hostname ?? digest(shape.name).slice(0, 12),
                Labels: shape.labels,
            },
            HostConfig: {
                PortBindings: Object.fromEntries(
                    shape.ports.map((port, index) => [
                        `${index}/tcp`,
                        [{ HostIp: /^(\d+\.\d+\.\d+\.\d+):/.exec(port)?.[1] ?? "" }],
                    ]),
                ),
                Memory: shape.memory,
                NanoCpus: shape.cpus * 1e9,
                RestartPolicy: {
                    Name: shape.restart.split(":")[0],
                    MaximumRetryCount: Number(shape.restart.split(":")[1] ?? 0),
                },
            },
            Mounts: inspectedMounts(shape),
            NetworkSettings: { Networks: { some: { Aliases: shape.aliases, IPAddress: "172.20.0.2" } } },
            State: { Running: this.runs(shape) },
        };
    }

    private exec(shape: ContainerShape, command: string[]): object {
        let given = "";
        const stream = new PassThrough();
        const written = new Readable({ read: () => undefined });
        stream.on("data", (part: Buffer) => (given += part.toString()));
        stream.on("end", () => {
            void this.outputOf(shape, command, given).then((output) => {
                written.push(output);
                written.push(null);
            });
        });
        const both = Object.assign(written, { end: (input: string) => stream.end(input) });
        return {
            start: () => Promise.resolve(both),
            inspect: () => Promise.resolve({ ExitCode: this.codeOf(shape, command) }),
        };
    }

    private codeOf(shape: ContainerShape, [program = ""]: string[]): number {
        return this.factsOf(shape.image).missing.includes(program) ? 126 : 0;
    }

    private outputOf(shape: ContainerShape, command: string[], input: string): Promise<string> {
        const facts = this.factsOf(shape.image);
        if (command[0] === "/bin/sh") {
            const isNamed =
                facts.program === "" || shape.entrypoint !== undefined || shape.command[0] === facts.program;
            const own = isNamed ? shape.command : [facts.program, ...shape.command];
            const processes = this.recorded.processes[shape.service] ?? this.recorded.processes[shape.name] ?? [own];
            const listed = processes.map((args) => `${args.map((arg) => `${arg}\0`).join("")}\n`).join("");
            return Promise.resolve(`${facts.missing.map((program) => `${program}\n`).join("")}===\n${listed}`);
        }
        if (command[0] !== "curl") {
            return Promise.resolve(command[1] === "--version" ? facts.version : facts.help);
        }
        return Promise.all(input.split("\nnext\n").map((request) => this.answerTo(request))).then((parts) =>
            parts.join(""),
        );
    }

    private async answerTo(request: string): Promise<string> {
        const url = new URL(/url = "([^"]*)"/.exec(request)?.[1] ?? "");
        const headers = Object.fromEntries(
            [...request.matchAll(/header = "([^:]*): ([^"]*)"/g)].map(([, name = "", value]) => [name, value]),
        );
        const ofHealth = this.recorded.health[url.pathname] ?? (HEALTHY.includes(url.pathname) ? 200 : 403);
        const status =
            url.origin !== this.recorded.origin ? 0 : url.pathname === "/" ? await this.signed(url, headers) : ofHealth;
        const body = status === 400 ? `<Error><Region>${this.recorded.region}</Region></Error>` : "";
        return `${body}\n=== ${String(status).padStart(3, "0")}\n`;
    }

    /** Signs a request once more, with the keys that the store takes. */
    private async signed(
        url: URL,
        { authorization = "", ...headers }: { [name: string]: string | undefined },
    ): Promise<number> {
        const { keys, region } = this.recorded;
        const [, , requested] = /Credential=([^/]*)\/\d+\/([^/]*)\//.exec(authorization) ?? [];
        if (requested !== region) {
            return 400;
        }
        const credentials = { accessKeyId: keys[0], secretAccessKey: keys[1] };
        const signer = new SignatureV4({ service: "s3", region, credentials, sha256: Sha256, uriEscapePath: false });
        const again = await signer.sign(
            {
                method: "GET",
                protocol: "http:",
                hostname: url.hostname,
                path: "/",
                headers: headers as { [name: string]: string },
            },
            {
                signingDate: new Date(
                    (headers["x-amz-date"] ?? "").replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z"),
                ),
            },
        );
        return again.headers["authorization"] === authorization ? 200 : 403;
    }
}

function inspectedMounts(shape: ContainerShape): object[] {
    return shape.mounts.map(({ at, volume, path, tmpfs }, index) => {
        if (tmpfs === true) {
            return { Type: "tmpfs", Source: "", Destination: at };
        }
        return path === undefined
            ? {
                  Type: "volume",
                  Name: volume ?? digest(`${shape.name} ${index}`),
                  Source: "/var/lib/docker/volumes",
                  Destination: at,
              }
            : { Type: "bind", Source: path, Destination: at };
    });
}

function lines(variables: { [name: string]: string }): string[] {
    return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

function answer<Result>(result: Result): Promise<Result> {
    return Promise.resolve(result);
}

export function missing(): Promise<never> {
    return Promise.reject(Object.assign(new Error("no such thing"), { statusCode: 404 }));
}

function archiveOf(text: string): Promise<NodeJS.ReadableStream> {
    const archive = pack();
    archive.entry({ name: "file", uid: 0, gid: 0 }, text);
    archive.finalize();
    return Promise.resolve(archive);
}

function digest(text: string): string {
    return createHash("sha256").update(text).digest("hex");
}
