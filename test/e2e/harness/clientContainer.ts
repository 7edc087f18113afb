import type { Deployment, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/** Path of the stack's CA in the container. */
const CA_FILE = "/etc/ssl/certs/object-store.pem";

/** All that AWS's own tools need. No region, addressing style or signature version is set. */
export function awsEnvironment(outputs: DeploymentOutputs): { [name: string]: string } {
    return {
        AWS_ENDPOINT_URL: outputs.s3Endpoint,
        AWS_CA_BUNDLE: CA_FILE,
        AWS_ACCESS_KEY_ID: outputs.accessKey,
        AWS_SECRET_ACCESS_KEY: outputs.secretKey,
    };
}

/** Debian's AWS CLI, boto3 and curl in a container on the host's network, where they reach the proxy's published port. */
export class ClientContainer {
    private readonly host = new DockerHost();

    private constructor(private readonly name: string) {}

    /**
     * @param hostnames Further names that resolve to the proxy's published ports.
     */
    static async start(
        { clusterName }: Pick<Deployment, "clusterName">,
        outputs: DeploymentOutputs,
        hostnames: string[] = [],
    ): Promise<ClientContainer> {
        const client = new ClientContainer(`${clusterName}-client`);
        const container = await client.host.docker.createContainer({
            name: client.name,
            Image: testImages().clients,
            Cmd: ["sleep", "infinity"],
            Env: Object.entries(awsEnvironment(outputs)).map(([name, value]) => `${name}=${value}`),
            HostConfig: {
                NetworkMode: "host",
                // `.localhost` doesn't resolve on every system.
                ExtraHosts: [new URL(outputs.s3Endpoint).hostname, ...hostnames].map((name) => `${name}:127.0.0.1`),
            },
        });
        await container.start();
        await client.shell(`printf %s '${outputs.caCertificate}' > ${CA_FILE}`);
        return client;
    }

    /** Runs a program and returns its output. */
    run(...command: string[]): Promise<string> {
        return this.host.exec(this.name, command);
    }

    /** Runs a shell script and returns its output. */
    shell(script: string): Promise<string> {
        return this.run("/bin/sh", "-ec", script);
    }

    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.name).remove({ force: true, v: true });
    }
}
