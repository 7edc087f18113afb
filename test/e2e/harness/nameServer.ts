import { build } from "esbuild";
import { dirname, join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import type { LostNames } from "../programs/nameServer";
import type { Deployment } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/**
 * A name server for tests on the node network. It answers as Docker's does, except for names that Docker doesn't know.
 */
export class NameServer {
    private readonly host = new DockerHost();

    private constructor(
        private readonly name: string,
        private readonly address: string,
    ) {}

    static async start({ clusterName }: Deployment, lostNames: LostNames): Promise<NameServer> {
        const host = new DockerHost();
        const network = `${clusterName}-nodes`;
        const container = await host.docker.createContainer({
            name: `${clusterName}-names-that-${lostNames}`,
            Image: testImages().standIn,
            User: "0:0",
            Cmd: ["node", "-e", await program(), lostNames],
            HostConfig: { NetworkMode: network },
        });
        await container.start();
        const { Name: name, NetworkSettings: settings } = await container.inspect();
        return new NameServer(name.slice(1), settings.Networks[network]?.IPAddress ?? "");
    }

    /** Configures a running container to use this server, as if the engine had set it at creation. */
    async serve(container: string): Promise<void> {
        await replaceNetworkFile(this.host, container, "resolv.conf", `nameserver ${this.address}\n`);
    }

    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.name).remove({ force: true, v: true });
    }
}

/** Removes the other containers from a running container's hosts file, so that it has to look up their names. */
export async function forgetHosts(container: string): Promise<void> {
    await replaceNetworkFile(new DockerHost(), container, "hosts", "127.0.0.1 localhost\n");
}

/**
 * Overwrites a file that the engine has created for a container's /etc. It must stay the same file, so that the
 * container sees the change.
 */
async function replaceNetworkFile(host: DockerHost, container: string, file: string, text: string): Promise<void> {
    const { HostsPath: path } = await host.inspect(container);
    const script = `printf %s '${text}' > /container/${file}`;
    await host.runOnVolumes(testImages().standIn, { "/container": dirname(path) }, script);
}

async function program(): Promise<string> {
    const {
        outputFiles: [output],
    } = await build({
        entryPoints: [join(PROJECT, "test", "e2e", "programs", "nameServer.ts")],
        write: false,
        bundle: true,
        platform: "node",
        format: "cjs",
        target: "node20",
    });
    return output?.text ?? "";
}
