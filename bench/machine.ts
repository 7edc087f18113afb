import Docker from "dockerode";
import { existsSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { CLI_VERSION } from "../tools/pulumi/toolchainParts";

/** Properties of the machine that affect the figures, as text by name. */
export interface Machine {
    [what: string]: string;
}

/** The kernel's default, on Linux. */
const CONGESTION_CONTROL = "/proc/sys/net/ipv4/tcp_congestion_control";

/** @param otherLoad Result of {@link otherLoadOf}, sampled while the benchmark itself did nothing. */
export async function describeMachine(images: { [name: string]: string }, otherLoad: string): Promise<Machine> {
    const engine = await new Docker().version();
    const processors = cpus();
    return {
        CPU: `${processors.length} × ${processors[0]?.model}`,
        memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
        kernel: release(),
        ...(existsSync(CONGESTION_CONTROL)
            ? { "TCP's congestion control": readFileSync(CONGESTION_CONTROL, "utf8").trim() }
            : {}),
        Docker: engine.Version,
        "Node.js": process.version,
        Pulumi: CLI_VERSION,
        images: Object.entries(images)
            .map(([name, image]) => `${name} ${image}`)
            .join(", "),
        "load of other programs": otherLoad,
    };
}
