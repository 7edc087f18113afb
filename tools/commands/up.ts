import type Docker from "dockerode";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { StoreHost } from "../../components/store/storeHosts";
import { fileNamesHosts, hostsOfStack } from "../hosts/stackHosts";
import { findOrStartDocker, missingDocker } from "../machine/dockerDaemon";
import { adoptHosts, adoptStackEngine, namedEngine } from "../machine/namedEngine";
import { enginesOfHosts, onlyEngine, refuseOtherSwarm, type StackTarget } from "../machine/stackEngines";
import { BUILT_IMAGES, lacksConsole } from "../images/builtImages";
import { buildImage } from "../images/engineImages";
import { buildStoreImages, pullStoreImages } from "../images/storeImages";
import { announce, forbidInstalling } from "../machine/installation";
import { LOCAL, PROJECT } from "../paths";
import { arePlaygroundHosts } from "../playground/playground";
import { missingPulumi, preparePulumi } from "../pulumi/toolchain";
import { CLI } from "../pulumi/toolchainParts";
import type { StackConfig } from "../pulumi/stackConfig";
import { readState } from "../pulumi/stackState";
import { additionalStoresOf, type ConfiguredStore } from "../update/additionalStores";
import { checkHostnames } from "../update/hostnames";
import { refuseOwnBackend } from "../update/ownBackend";
import { protectedByRemoval } from "../update/removalPlan";
import { finishUpdate, prepareUpdate } from "../update/stateAndEngine";
import { main, say, step, StepError } from "../machine/step";
import { writeWhole } from "../machine/wholeFiles";
import { summary, type StackOutputs } from "../update/summary";
import { askPulumi, findWorkspace, readConfig, runPulumi, selectedStack, type Workspace } from "../pulumi/workspace";

const STORES = ["rustfs", "minio"];

/** Which hosts must answer. */
const HOSTS_RULE = "Every host must answer, or be named in unreachableHosts (docs/hosts.md).";

const OPTIONS = {
    store: { type: "string" },
    stack: { type: "string" },
    "no-install": { type: "boolean", default: false },
} as const;

// npm run up [-- --store rustfs|minio] [-- --stack NAME] [-- --no-install]: from a clone to a running store.
void main(async () => {
    const { values: desired } = parseArgs({ options: OPTIONS });
    if (desired.store !== undefined && !STORES.includes(desired.store)) {
        throw new StepError(`--store "${desired.store}" is not known: give one of ${STORES.join(", ")}`);
    }
    if (desired.stack !== undefined && !existsSync(stackFile(desired.stack))) {
        throw new StepError(
            `--stack "${desired.stack}" has no file ${stackFile(desired.stack)}: write one, as Pulumi.dev.yaml is`,
        );
    }
    if (desired["no-install"]) {
        forbidInstalling();
    }
    // Hosts have their own engines, so this machine needs none.
    const onHosts = await deploysToHosts(desired);
    await step("What is missing", async () =>
        announce([...(onHosts ? [] : await missingDocker()), ...missingPulumi()]),
    );
    if (!onHosts) {
        process.env["DOCKER_HOST"] = await step("Docker", findOrStartDocker);
    }
    await step("Pulumi", preparePulumi);
    const workspace = await step("Backend", () => {
        const found = findWorkspace();
        say(`taking ${found.description}`);
        return Promise.resolve(found);
    });
    const stack = await step("Images and stack", () => chooseStack(workspace, desired));
    await askPulumi(workspace, ["stack", "select", "--create", stack]);
    const config = await readConfig(workspace);
    const secret = (key: string) => askPulumi(workspace, ["config", "get", key]);
    const hosts = await hostsOfStack(config, secret, stack);
    const target = await (hosts === undefined
        ? adoptStackEngine(config, secret, workspace.env).then(onlyEngine)
        : step("Docker", () => enginesOf(hosts, workspace, words(config("unreachableHosts")))));
    const additional = await additionalStoresOf(config, secret);
    refuseOwnBackend(workspace.backend, config, additional);
    if (hosts === undefined) {
        await buildClientOf(config, additional);
    }
    const clusterName = config("clusterName") ?? `object-store-${stack}`;
    const more = await step("State and engine", () =>
        prepareUpdate(workspace, stack, target, {
            clusterName,
            allowedChanges: words(config("allowedChanges")) ?? [],
            additionalStores: additional?.map(({ name }) => name),
        }),
    );
    const hostnames = await step("Hostnames", () =>
        checkHostnames(
            [
                config("s3Host") ?? "s3.localhost",
                config("consoleHost") ?? "console.localhost",
                ...(additional ?? []).flatMap(({ s3Host, consoleHost }) => [s3Host, consoleHost]),
            ],
            withProxy(hosts, words(config("frontEndHosts"))),
        ),
    );
    const kept = protectedByRemoval(await readState(workspace));
    if (kept.length > 0) {
        await askPulumi(workspace, ["state", "unprotect", "--yes", ...kept]);
    }
    const code = await step("pulumi up", () => runPulumi(workspace, ["up", "--yes", "--skip-preview", ...more]));
    if (code !== 0) {
        return code;
    }
    await finishUpdate(workspace, stack, target);
    const outputs = JSON.parse(await askPulumi(workspace, ["stack", "output", "--json"])) as StackOutputs;
    const caFile = join(LOCAL, `${stack}-ca.pem`);
    if (outputs.caCertificate !== "") {
        writeWhole(caFile, outputs.caCertificate);
    }
    const withoutConsole = (additional ?? []).filter(({ image }) => lacksConsole(image)).map(({ name }) => name);
    console.log(summary(outputs, caFile, hostnames, !lacksConsole(config("image")), withoutConsole));
    return 0;
});

/**
 * Whether the stack that will be deployed has hosts of its own: the named one, or the one of the last run. It is read from
 * the stack's file, because Pulumi may not be installed yet.
 */
async function deploysToHosts(desired: { store?: string; stack?: string }): Promise<boolean> {
    const last = desired.store === undefined && existsSync(CLI) ? () => selectedStack(findWorkspace()) : undefined;
    const stack = desired.stack ?? (await last?.());
    return stack !== undefined && fileNamesHosts(stack);
}

/** The engines of a stack's hosts, which form a swarm. */
async function enginesOf(hosts: StoreHost[], workspace: Workspace, down: string[] | undefined): Promise<StackTarget> {
    adoptHosts(hosts, workspace.env);
    const target = await enginesOfHosts(hosts, down, HOSTS_RULE);
    await refuseOtherSwarm(target);
    return target;
}

/** Builds the client's image if the stack uses the built one for what is in its store. */
async function buildClientOf(config: StackConfig, additional: ConfiguredStore[] = []): Promise<void> {
    const isUsed =
        ["buckets", "policies", "accessKeys"].some((key) => config(key) !== undefined) ||
        additional.some((store) => store.buckets ?? store.policies ?? store.accessKeys);
    if (isUsed && config("clientImage") === BUILT_IMAGES.mc.reference) {
        const docker = await namedEngine();
        await step("The client's image", () => buildImage(docker, BUILT_IMAGES.mc));
    }
}

/** A list of words; undefined if there is none, or if the value isn't one. The program then refuses it by name. */
function words(text: string | undefined): string[] | undefined {
    try {
        const found = JSON.parse(text ?? "") as unknown;
        return Array.isArray(found) ? found.map(String) : undefined;
    } catch {
        return undefined;
    }
}

/** The hosts with a proxy: the named ones, or all. Undefined if this machine's own address leads to the proxies. */
function withProxy(hosts: StoreHost[] | undefined, names: string[] | undefined): StoreHost[] | undefined {
    return hosts === undefined || arePlaygroundHosts(hosts)
        ? undefined
        : hosts.filter(({ name }) => names?.includes(name) ?? true);
}

function stackFile(stack: string): string {
    return join(PROJECT, `Pulumi.${stack}.yaml`);
}

/** The selected stack, else the stack of the last run, else the first one whose images are available. */
async function chooseStack(workspace: Workspace, desired: { store?: string; stack?: string }): Promise<string> {
    if (desired.stack !== undefined) {
        say(`taking the stack ${desired.stack}, as asked`);
        return desired.stack;
    }
    const docker = await namedEngine();
    const last = await selectedStack(workspace);
    if (last !== undefined && desired.store === undefined) {
        say(`taking the stack ${last} of the last run (another one: --stack NAME)`);
        await buildImagesOf(docker, last);
        return last;
    }
    if (desired.store !== "minio" && (await pullStoreImages(docker)) !== undefined) {
        say("taking the stack dev (RustFS): its images are there");
        return "dev";
    }
    const stack = desired.store === "rustfs" ? "offline-rustfs" : "offline";
    const reason =
        desired.store === undefined
            ? "no registry gave the images of dev, so they are built from packages"
            : `--store ${desired.store}`;
    say(`taking the stack ${stack} (${desired.store === "rustfs" ? "RustFS" : "MinIO"}): ${reason}`);
    await buildImagesOf(docker, stack);
    return stack;
}

/** Builds the images of the stacks that use built ones. */
async function buildImagesOf(docker: Docker, stack: string): Promise<void> {
    if (stack === "offline" || stack === "offline-rustfs") {
        await buildStoreImages(docker, stack === "offline" ? "minio" : "rustfs");
    }
}
