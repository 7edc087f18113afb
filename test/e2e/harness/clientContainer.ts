import type { Deployment, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/** Where the stack's authority lies for the clients. */
const AUTHORITY_FILE = "/etc/ssl/certs/object-store.pem";

/** All that AWS's own tools have to be told: no region, no addressing style, no signature version. */
export function awsEnvironment(outputs: DeploymentOutputs): { [name: string]: string } {
    return {
        AWS_ENDPOINT_URL: outputs.s3Endpoint,
        AWS_CA_BUNDLE: AUTHORITY_FILE,
        AWS_ACCESS_KEY_ID: outputs.accessKey,
        AWS_SECRET_ACCESS_KEY: outputs.secretKey,
    };
}

/** Debian's AWS CLI, boto3 and curl on the engine's host, from where they reach the port that the proxy publishes. */
export class ClientContainer {
    private readonly host = new DockerHost();

    private constructor(private readonly name: string) {}

    static async start({ clusterName }: Deployment, outputs: DeploymentOutputs): Promise<ClientContainer> {
        const client = new ClientContainer(`${clusterName}-client`);
        const container = await client.host.docker.createContainer({
            name: client.name,
            Image: testImages().clients,
            Cmd: ["sleep", "infinity"],
            Env: Object.entries(awsEnvironment(outputs)).map(([name, value]) => `${name}=${value}`),
            HostConfig: {
                NetworkMode: "host",
                // `.localhost` doesn't resolve everywhere.
                ExtraHosts: [`${new URL(outputs.s3Endpoint).hostname}:127.0.0.1`],
            },
        });
        await container.start();
        await client.shell(`printf %s '${outputs.caCertificate}' > ${AUTHORITY_FILE}`);
        return client;
    }

    /** Runs a program, and gives what it prints. */
    run(...command: string[]): Promise<string> {
        return this.host.exec(this.name, command);
    }

    /** Runs a shell script, and gives what it prints. */
    shell(script: string): Promise<string> {
        return this.run("/bin/sh", "-ec", script);
    }

    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.name).remove({ force: true, v: true });
    }
}
