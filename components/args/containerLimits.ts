import { shown } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import { limitFailures } from "./schema";

/** Smallest CPU limit that the kernel supports: 1 ms of each 100 ms. */
const SMALLEST_CPU_LIMIT = 0.01;

/** Checks the configured limits of a container: memory in MiB, CPUs, open files. */
export function checkContainerLimits(limits: { memory?: number; cpus?: number; openFiles?: number }): Problem[] {
    const { memory, cpus, openFiles } = limits;
    return [
        ...limitFailures("StorageNodeArgs", { memory }),
        ...(cpus === undefined ? [] : checkCpus("cpus", cpus)),
        ...limitFailures("StorageNodeArgs", { openFiles }),
    ];
}

/** Checks a number of CPUs. Fractions are allowed, with the Docker daemon's precision of nine decimals. */
function checkCpus(propertyPath: string, value: unknown): Problem[] {
    if (typeof value !== "number" || !Number.isFinite(value) || value < SMALLEST_CPU_LIMIT) {
        const reason = `${shown(value)} is not allowed: give a number from ${SMALLEST_CPU_LIMIT} on, at most as many as the host has`;
        return [{ propertyPath, reason }];
    }
    return Number(value.toFixed(9)) === value
        ? []
        : [{ propertyPath, reason: `${value} has more than nine decimals: give ${Number(value.toFixed(2))}` }];
}
