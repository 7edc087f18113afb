import { DockerHost } from "./dockerHost";

/** Resets the kernel's record of the peak memory of each process in a container (proc(5), clear_refs). */
const FORGET_PEAKS = 'for process in /proc/[0-9]*; do echo 5 > "$process/clear_refs"; done';

/** The largest growth of a program's resident memory in a container while an action runs, in bytes. */
export async function memoryGrowthDuring(
    container: string,
    program: string,
    work: () => Promise<void>,
): Promise<number> {
    const host = new DockerHost();
    const memory = async (line: "VmRSS" | "VmHWM") => {
        const status = await host.exec(container, ["/bin/sh", "-c", "cat /proc/[0-9]*/status"]);
        const processes = status.split(/^(?=Name:)/m).filter((text) => text.startsWith(`Name:\t${program}\n`));
        if (processes.length === 0) {
            throw new Error(`no process in ${container} is ${program}:\n${status}`);
        }
        const kibibytes = processes.map((text) => Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]));
        return kibibytes.reduce((sum, each) => sum + each, 0) * 1024;
    };
    await host.exec(container, ["/bin/sh", "-c", FORGET_PEAKS]);
    const before = await memory("VmRSS");
    await work();
    return (await memory("VmHWM")) - before;
}
