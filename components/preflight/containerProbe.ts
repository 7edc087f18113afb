import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type Docker from "dockerode";
import { inputsDigest } from "../engine/containerBasics";
import { DockerEngine } from "../engine/dockerEngine";
import type { DockerHost } from "../engine/dockerHost";
import type { HelperContainers } from "../engine/helperContainers";
import { LABELS } from "../naming/labels";
import { refuse, type Problem } from "../inputs/problem";

/** What a container's settings are that an engine may refuse, without what belongs to one container at a time. */
const TRIED = [
    "image",
    "user",
    "readOnly",
    "init",
    "capabilities",
    "securityOpts",
    "sysctls",
    "tmpfs",
    "logDriver",
    "logOpts",
    "memory",
    "memorySwap",
    "cpus",
    "ulimits",
] as const;

/** A container's settings that are tried, as plain values. */
export type TriedSettings = pulumi.Unwrap<Pick<docker.ContainerArgs, (typeof TRIED)[number]>>;

/** What a probe asks of the engine. */
export interface ProbeEngine extends Pick<DockerEngine, "containers"> {
    readonly helpers: Pick<HelperContainers, "try" | "removeLeftovers">;
}

/** A container that is to be made, or replaced where it is there with other inputs. */
interface WantedContainer {
    name: string;
    /** Digest of its inputs, as its label has it. */
    inputs: Promise<string>;
    settings: Promise<TriedSettings>;
}

/**
 * Asks the engine itself, in an update and before anything is taken away, whether it takes containers that are to be made or
 * replaced: for each one that differs, a container with the same image, user and limits is made, started and removed again. It has
 * no volumes, networks and ports, and does nothing. Containers that are to stay as they are cost one question.
 */
export class ContainerProbe {
    private readonly wanted: WantedContainer[] = [];

    /**
     * @param component Name of the component, for errors.
     * @param owner Cluster or front end that the containers belong to.
     * @param label Label that its containers have with that value.
     */
    constructor(
        private readonly component: string,
        private readonly owner: string,
        private readonly label: string,
        private readonly connect: () => Promise<ProbeEngine>,
    ) {}

    /** One that asks the engine at a Docker host. */
    static of(component: string, owner: string, label: string, dockerHost?: DockerHost): ContainerProbe {
        return new ContainerProbe(component, owner, label, () => DockerEngine.connect(dockerHost));
    }

    /** Adds a container, by its name and inputs. */
    add(name: string, args: docker.ContainerArgs): void {
        if (!pulumi.runtime.isDryRun()) {
            const tried = Object.fromEntries(TRIED.map((setting) => [setting, args[setting]]));
            this.wanted.push({
                name,
                inputs: known(inputsDigest(args)),
                settings: known(pulumi.output(tried) as unknown as pulumi.Output<TriedSettings>),
            });
        }
    }

    /**
     * Resolves once the engine takes every container that was added. In a preview it asks nothing.
     *
     * @throws {pulumi.InputPropertiesError} with every limit that the engine refuses.
     */
    async passed(): Promise<void> {
        if (pulumi.runtime.isDryRun()) {
            return;
        }
        const engine = await this.connect();
        await engine.helpers.removeLeftovers(this.owner);
        const there = await engine.containers(this.label, this.owner);
        const distinct = new Map<string, TriedSettings>();
        for (const { name, inputs, settings } of this.wanted) {
            const container = there.find((other) => other.name === name);
            // What isn't there yet is tried at once; its inputs may wait for others that are only being made.
            if (container === undefined || container.labels[LABELS.inputs] !== (await inputs)) {
                const tried = await settings;
                distinct.set(JSON.stringify(tried), tried);
            }
        }
        const problems = await Promise.all(
            [...distinct.values()].map((settings) => refusalsOf(settings, engine, this.owner)),
        );
        refuse(this.component, problems.flat());
    }
}

/** Limits that the engine refuses; each is tried alone where all of them together are refused. */
async function refusalsOf(settings: TriedSettings, engine: ProbeEngine, owner: string): Promise<Problem[]> {
    const { memory, memorySwap, cpus, ulimits, ...bare } = settings;
    const attempt = (tried: TriedSettings) => engine.helpers.try(owner, creationOf(tried));
    const refusal = await attempt(settings);
    if (refusal === undefined) {
        return [];
    }
    const ofBare = await attempt(bare);
    if (ofBare !== undefined) {
        const reason = `"${settings.image}" is not what the engine makes a container of: ${ofBare}`;
        return [{ propertyPath: "image", reason }];
    }
    const limits: { propertyPath: string; value: unknown; limit: TriedSettings }[] = [
        { propertyPath: "memory", value: memory, limit: { ...bare, memory, memorySwap } },
        { propertyPath: "cpus", value: Number(cpus), limit: { ...bare, cpus } },
        { propertyPath: "openFiles", value: ulimits?.[0]?.hard, limit: { ...bare, ulimits } },
    ];
    const found: Problem[] = [];
    for (const { propertyPath, value, limit } of limits) {
        const reason = await attempt(limit);
        if (reason !== undefined) {
            found.push({ propertyPath, reason: `${String(value)} is refused by the engine: ${reason}. Give another` });
        }
    }
    return found.length > 0
        ? found
        : [{ propertyPath: "memory", reason: `and the other limits together are refused by the engine: ${refusal}` }];
}

const MEBIBYTE = 1024 * 1024;

/** A container with these settings that does nothing, as the engine's API takes it. */
export function creationOf(settings: TriedSettings): Docker.ContainerCreateOptions {
    const { memory, memorySwap, cpus, ulimits, capabilities, logDriver, logOpts } = settings;
    return {
        Image: settings.image,
        User: settings.user,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: ["exit 0"],
        HostConfig: {
            NetworkMode: "none",
            ReadonlyRootfs: settings.readOnly,
            Init: settings.init,
            CapAdd: capabilities?.adds,
            CapDrop: capabilities?.drops,
            SecurityOpt: settings.securityOpts,
            Sysctls: settings.sysctls,
            Tmpfs: settings.tmpfs,
            ...(logDriver === undefined ? {} : { LogConfig: { Type: logDriver, Config: logOpts ?? {} } }),
            ...(memory === undefined ? {} : { Memory: memory * MEBIBYTE }),
            ...(memorySwap === undefined ? {} : { MemorySwap: memorySwap * MEBIBYTE }),
            ...(cpus === undefined ? {} : { NanoCpus: Math.round(Number(cpus) * 1e9) }),
            Ulimits: ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
        },
    };
}

/** An output's value, once it is known. */
function known<Value>(output: pulumi.Output<Value>): Promise<Value> {
    return new Promise((resolve) => output.apply((value) => resolve(value)));
}
