import Docker from "dockerode";
import { cpus, loadavg, release, totalmem } from "node:os";
import { CLI_VERSION } from "../tools/pulumi/toolchainParts";

/** Properties of the machine that affect the figures, as text by name. */
export interface Machine {
    [what: string]: string;
}

/** Load average per CPU before a run. Above this value, the machine counts as busy with other work. */
const BUSY = 0.2;

export async function describeMachine(images: { [name: string]: string }): Promise<Machine> {
    const engine = await new Docker().version();
    const processors = cpus();
    const [load = 0] = loadavg();
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
        "load before": `${load.toFixed(2)}${load / processors.length > BUSY ? " (busy: other programs ran too, so the ratios count and not the figures)" : ""}`,
    };
}
