import { DockerHost } from "../test/e2e/harness/dockerHost";
import { OPEN_FILES } from "./peers";
import { loadScript, outcomeOf, type Load, type LoadOutcome } from "./h2load";

/** A container on a network that makes loads. */
export class LoadContainer {
    private readonly host = new DockerHost();

    private constructor(private readonly name: string) {}

    static async start(name: string, image: string, network: string): Promise<LoadContainer> {
        const load = new LoadContainer(name);
        const container = await load.host.docker.createContainer({
            name,
            Image: image,
            Entrypoint: ["sleep", "infinity"],
            HostConfig: {
                NetworkMode: network,
                Init: true,
                Ulimits: [{ Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES }],
            },
        });
        await container.start();
        return load;
    }

    /** Writes lines to a file. */
    async write(file: string, lines: string[]): Promise<void> {
        await this.shell(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} > ${file}`);
    }

    /** Makes a load, and gives what came of it. */
    async run(load: Load): Promise<LoadOutcome> {
        return outcomeOf(await this.shell(loadScript(load)));
    }

    /** Runs a shell script, and gives what it prints. */
    shell(script: string): Promise<string> {
        return this.host.exec(this.name, ["/bin/sh", "-ec", script]);
    }
}
