import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type Docker from "dockerode";
import { connectEngine } from "../docker/connectEngine";
import { inputsDigest } from "../docker/containerArgs";
import type { DockerEngine } from "../docker/engine";
import type { DockerHost } from "../docker/providerHost";
import type { OneShotContainers } from "../docker/oneShotContainers";
import { LABELS } from "../naming/labels";
import { type Problem } from "../checks/problem";
import { refuse } from "../checks/refusal";
import { settled } from "../pulumi/settled";
import { changesNothing } from "../pulumi/pulumiCommand";

/** Container settings that an engine may refuse. Settings that only one container at a time can have are left out. */
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
    "mounts",
] as const;

/** The tested settings of a container, as plain values. */
export type TriedSettings = pulumi.Unwrap<Pick<docker.ContainerArgs, (typeof TRIED)[number]>>;

/** The part of the engine that a probe uses. */
export interface ProbeEngine extends Pick<DockerEngine, "containers"> {
    readonly oneShots: Pick<OneShotContainers, "try" | "removeLeftovers">;
}

/** A container that will be created, or replaced if it exists with other inputs. */
interface WantedContainer {
    name: string;
    /** Digest of its inputs, as in its label. */
    inputs: Promise<string>;
    settings: Promise<TriedSettings>;
    properties: TriedProperties;
}

/** Property paths for the problems of settings that several components call differently. */
interface TriedProperties {
    /** Default: `mounts`. */
    mounts?: string;
}

/**
 * Tests in an update, before anything is removed, whether the engine accepts the containers that will be created or
 * replaced. For each one that differs, a container with the same image, user and limits is created, started and removed
 * again. It has no volumes, networks or ports, and does nothing. Containers that stay as they are cost one query.
 */
export class ContainerProbe {
    private readonly wanted: WantedContainer[] = [];

    /**
     * @param component Name of the component, for errors.
     * @param owner Cluster or proxy that the containers belong to.
     * @param label Label of its containers that has the owner as its value.
     */
    constructor(
        private readonly component: string,
        private readonly owner: string,
        private readonly label: string,
        private readonly connect: () => Promise<ProbeEngine>,
    ) {}

    /** A probe for the engine at a Docker host. */
    static of(component: string, owner: string, label: string, dockerHost?: DockerHost): ContainerProbe {
        return new ContainerProbe(component, owner, label, () => connectEngine(dockerHost));
    }

    /** Adds a container, by its name and inputs. */
    add(name: string, args: docker.ContainerArgs, properties: TriedProperties = {}): void {
        if (!changesNothing()) {
            const tried = Object.fromEntries(TRIED.map((setting) => [setting, args[setting]]));
            this.wanted.push({
                name,
                inputs: settled(inputsDigest(args)),
                settings: settled(pulumi.output(tried) as unknown as pulumi.Output<TriedSettings>),
                properties,
            });
        }
    }

    /**
     * Resolves once the engine accepts every added container. Does nothing in a preview.
     *
     * @throws {pulumi.InputPropertiesError} with every limit that the engine refuses.
     */
    async passed(): Promise<void> {
        if (changesNothing()) {
            return;
        }
        const engine = await this.connect();
        await engine.oneShots.removeLeftovers(this.owner);
        const there = await engine.containers(this.label, this.owner);
        const distinct = new Map<string, { tried: TriedSettings; properties: TriedProperties }>();
        for (const { name, inputs, settings, properties } of this.wanted) {
            const container = there.find((other) => other.name === name);
            // A missing container is tested at once. Its inputs may wait for other resources that are still being created.
            if (container === undefined || container.labels[LABELS.inputs] !== (await inputs)) {
                const tried = await settings;
                distinct.set(JSON.stringify(tried), { tried, properties });
            }
        }
        const problems = await Promise.all(
            [...distinct.values()].map(({ tried, properties }) => refusalsOf(tried, engine, this.owner, properties)),
        );
        refuse(this.component, problems.flat());
    }
}

/** Limits that the engine refuses. Each is tested alone if all of them together are refused. */
async function refusalsOf(
    settings: TriedSettings,
    engine: ProbeEngine,
    owner: string,
    { mounts: mountsProperty = "mounts" }: TriedProperties,
): Promise<Problem[]> {
    const { memory, memorySwap, cpus, ulimits, mounts, ...bare } = settings;
    const attempt = (tried: TriedSettings) => engine.oneShots.try(owner, creationOf(tried));
    const refusal = await attempt(settings);
    if (refusal === undefined) {
        return [];
    }
    const ofBare = await attempt(bare);
    if (ofBare !== undefined) {
        const reason = `"${settings.image}" can't be used for a container: ${ofBare}`;
        return [{ propertyPath: "image", reason }];
    }
    const limits: { propertyPath: string; value: unknown; limit: TriedSettings }[] = [
        { propertyPath: "memory", value: memory, limit: { ...bare, memory, memorySwap } },
        { propertyPath: "cpus", value: Number(cpus), limit: { ...bare, cpus } },
        { propertyPath: "openFiles", value: ulimits?.[0]?.hard, limit: { ...bare, ulimits } },
        { propertyPath: mountsProperty, value: mounts?.[0]?.source, limit: { ...bare, mounts } },
    ];
    const found: Problem[] = [];
    for (const { propertyPath, value, limit } of limits) {
        const reason = await attempt(limit);
        if (reason !== undefined) {
            found.push({
                propertyPath,
                reason: `${String(value)} is refused by the Docker daemon: ${reason}. Give another`,
            });
        }
    }
    return found.length > 0
        ? found
        : [
              {
                  propertyPath: "memory",
                  reason: `is refused by the Docker daemon in combination with the other limits: ${refusal}`,
              },
          ];
}

const MEBIBYTE = 1024 * 1024;

/** A container with these settings that does nothing, in the format of the engine's API. */
function creationOf(settings: TriedSettings): Docker.ContainerCreateOptions {
    const { memory, memorySwap, cpus, ulimits, capabilities, logDriver, logOpts, mounts } = settings;
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
            ...(mounts === undefined ? {} : { Mounts: mounts.map(bindMount) }),
        },
    };
}

function bindMount({ source, target }: { source?: string; target: string }): Docker.MountSettings {
    return { Type: "bind", Source: source ?? "", Target: target };
}
