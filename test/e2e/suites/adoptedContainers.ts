import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ContainerShape } from "../../unit/tools/adopt/containerShape";
import type { DockerHost } from "../harness/dockerHost";

/** Containers of a compose file or a command line, on the engine that the tests deploy to. */
export class StartedContainers {
    private readonly alias: string;

    /**
     * @param project Prefix of all names.
     * @param image The store's image, which all of them get under the name that everybody uses, with a tag that moves.
     * @param shapes What the file or the line describes. Their folders are below one that the test has made.
     */
    constructor(
        private readonly host: DockerHost,
        private readonly project: string,
        private readonly image: string,
        readonly shapes: readonly ContainerShape[],
    ) {
        this.alias = `${project}/store:latest`;
    }

    /** Makes and starts all of them as `docker run` and `docker compose up` do. The first one's S3 port is published. */
    async start(files: { [path: string]: string }): Promise<void> {
        const { docker } = this.host;
        await docker.getImage(this.image).tag({ repo: `${this.project}/store`, tag: "latest" });
        Object.entries(files).forEach(([path, text]) => {
            mkdirSync(dirname(path), { recursive: true });
            writeFileSync(path, text);
        });
        await docker.createNetwork({ Name: this.network });
        for (const [index, shape] of this.shapes.entries()) {
            const container = await docker.createContainer(this.optionsOf(shape, index === 0));
            await container.start();
        }
    }

    /** Removes what they have, except for named volumes. */
    async remove(): Promise<void> {
        for (const { name } of this.shapes) {
            await this.host.docker.getContainer(name).remove({ force: true, v: true });
        }
        await this.host.docker.getNetwork(this.network).remove();
        await this.host.docker.getImage(this.alias).remove();
    }

    /** URL of the first one's S3 port. */
    async url(): Promise<string> {
        const { NetworkSettings: settings } = await this.host.inspect(this.shapes[0]?.name ?? "");
        return `http://127.0.0.1:${settings.Ports["9000/tcp"]?.[0]?.HostPort ?? ""}`;
    }

    private get network(): string {
        return `${this.project}_default`;
    }

    private optionsOf(shape: ContainerShape, isPublished: boolean): object {
        return {
            name: shape.name,
            Image: this.alias,
            Entrypoint: shape.entrypoint,
            Cmd: shape.command,
            Env: Object.entries(shape.environment).map(([name, value]) => `${name}=${value}`),
            User: shape.user,
            Hostname: shape.hostname,
            Labels: shape.labels,
            ...(isPublished ? { ExposedPorts: { "9000/tcp": {} } } : {}),
            HostConfig: {
                NetworkMode: this.network,
                Binds: shape.mounts.map(({ at, volume, path }) => `${volume ?? path}:${at}`),
                PortBindings: isPublished ? { "9000/tcp": [{ HostIp: "127.0.0.1", HostPort: "0" }] } : {},
                RestartPolicy: { Name: shape.restart },
                Memory: shape.memory,
                NanoCpus: shape.cpus * 1e9,
            },
            NetworkingConfig: { EndpointsConfig: { [this.network]: { Aliases: shape.aliases } } },
        };
    }
}

/** Removes a folder in which containers have written as other users. */
export function removeFolder(folder: string): void {
    rmSync(join(folder), { recursive: true, force: true });
}
