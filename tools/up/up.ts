import { defaultOf } from "../../components/args/schema";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoreHost } from "../../components/args/hostArgs";
import { fileNamesHosts, hostsOfStack } from "../stack/stackHosts";
import { findOrStartDocker, missingDocker } from "../machine/dockerDaemon";
import { adoptHosts, adoptStackEngine, namedEngine } from "../stack/namedEngine";
import { enginesOfHosts, onlyEngine, refuseOtherSwarm, type StackTarget } from "../stack/stackEngines";
import { BUILT_IMAGES, lacksConsole } from "../images/builtImages";
import { buildImage } from "../images/engineImages";
import type { BuiltStore } from "../images/storeImages";
import { announce, forbidInstalling } from "../machine/installation";
import { writeWhole } from "../machine/wholeFiles";
import { LOCAL, PROJECT } from "../paths";
import { arePlaygroundHosts } from "../playground/playground";
import { missingPulumi, preparePulumi } from "../pulumi/toolchain";
import { CLI } from "../pulumi/toolchainParts";
import type { StackConfig } from "../pulumi/stackConfig";
import { readState } from "../pulumi/stackState";
import { additionalStoresOf, type ConfiguredStore } from "../stack/additionalStores";
import { chooseStack } from "./chosenStack";
import { checkHostnames } from "./hostnames";
import { refuseOtherStacksPorts } from "./takenPorts";
import { refuseOwnBackend } from "../stack/ownBackend";
import { protectedByRemoval } from "../down/removalPlan";
import { finishUpdate, prepareUpdate } from "../stack/stateAndEngine";
import { say, step, StepError } from "../cli/step";
import { summary, type StackOutputs } from "./summary";
import { askPulumi, findWorkspace, readConfig, runPulumi, selectedStack, type Workspace } from "../pulumi/workspace";

/** Which hosts must answer. */
const HOSTS_RULE = "Every host must answer, or be named in unreachableHosts (docs/how-to/replace-a-host.md).";

/** Options of `npm run up`. */
export interface UpOptions {
    stack?: string;
    store?: BuiltStore;
    install: boolean;
}

/** From a clone to a running store. Returns the exit code. */
export async function up(desired: UpOptions): Promise<number> {
    const workspace = await prepareMachine(desired);
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
    await refuseOtherStacksPorts(workspace, stack, config, target);
    if (hosts === undefined) {
        await buildClientOf(config, additional);
    }
    const clusterName = config("storeName") ?? `object-store-${stack}`;
    const more = await step("State and Docker daemon", () =>
        prepareUpdate(workspace, stack, target, {
            clusterName,
            allowedChanges: words(config("allowedChanges")) ?? [],
            additionalStores: additional,
        }),
    );
    const hostnames = await step("Hostnames", () =>
        checkHostnames(
            [
                config("s3Host") ?? defaultOf("ObjectStoreArgs", "s3Host"),
                config("consoleHost") ?? defaultOf("ObjectStoreArgs", "consoleHost"),
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
    const withoutConsole = (additional ?? []).filter(({ image }) => lacksConsole(image)).map(({ name }) => name);
    console.log(summary(outputs, writeCa(stack, outputs), hostnames, !lacksConsole(config("image")), withoutConsole));
    return 0;
}

/** Finds or installs what a deployment needs on this machine. */
async function prepareMachine(desired: UpOptions): Promise<Workspace> {
    if (desired.stack !== undefined && !existsSync(stackFile(desired.stack))) {
        throw new StepError(
            `--stack "${desired.stack}" has no file ${stackFile(desired.stack)}: write one, as Pulumi.dev.yaml is`,
        );
    }
    if (!desired.install) {
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
    return step("Backend", () => {
        const found = findWorkspace();
        say(`taking ${found.description}`);
        return Promise.resolve(found);
    });
}

/** Writes the CA that clients have to trust, if there is one. Returns its file. */
function writeCa(stack: string, { caCertificate }: StackOutputs): string {
    const file = join(LOCAL, `${stack}-ca.pem`);
    if (caCertificate !== "") {
        writeWhole(file, caCertificate);
    }
    return file;
}

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
