import Docker from "dockerode";
import { cpus, release, totalmem } from "node:os";
import { CLI_VERSION } from "../tools/pulumi/toolchainParts";

/** Properties of the machine that affect the figures, as text by name. */
export interface Machine {
    [what: string]: string;
}

/** @param otherLoad Result of {@link otherLoadOf}, sampled while the benchmark itself did nothing. */
export async function describeMachine(images: { [name: string]: string }, otherLoad: string): Promise<Machine> {
    const engine = await new Docker().version();
    const processors = cpus();
    return {
        CPU: `${processors.length} × ${processors[0]?.model}`,
        memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
        kernel: release(),
        Docker: engine.Version,
        "Node.js": process.version,
        Pulumi: CLI_VERSION,
        images: Object.entries(images)
            .map(([name, image]) => `${name} ${image}`)
            .join(", "),
        "load of other programs": otherLoad,
    };
}
