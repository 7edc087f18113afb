import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../../components/engine/poll";
import { runAttached } from "../machine/run";
import { main, say, step, StepError } from "../machine/step";
import { compareStores, copyEverything, remember, type Move } from "../move/copySteps";
import { readMovedStack, type MovedStack } from "../move/movedStack";
import { MoveRecords } from "../move/moveRecord";
import { rcloneImage } from "../move/objectCopy";
import { MoveSwitch } from "../move/proxies";
import { copyLateOddObjects, switchBack, switchClients } from "../move/switchSteps";
import { LOCAL, PROJECT } from "../paths";
import { CLI } from "../pulumi/toolchainParts";
import { askPulumi, findWorkspace, onStack, readConfig, selectedStack, type Workspace } from "../pulumi/workspace";

const ACTIONS = ["copy", "check", "switch", "back"];

const USAGE = `npm run move -- ${ACTIONS.join("|")} --from STACK --to STACK`;

const OPTIONS = {
    from: { type: "string" },
    to: { type: "string" },
    address: { type: "string", multiple: true },
    ca: { type: "string" },
    overwrite: { type: "boolean", default: false },
    pause: { type: "string", default: "60" },
    running: { type: "string", default: "10" },
} as const;

// npm run move -- copy|check|switch|back --from STACK --to STACK [--address IP …] [--ca FILE] [--overwrite] [--pause SECONDS]
// [--running SECONDS]: moves the objects and the clients of one stack to another (docs/moving.md).
void main(async () => {
    const { values: desired, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const { from, to } = desired;
    const [action = "", ...more] = positionals;
    if (!ACTIONS.includes(action) || more.length > 0 || from === undefined || to === undefined || from === to) {
        throw new StepError(`"${positionals.join(" ")}" from ${from} to ${to} is not known: ${USAGE}`);
    }
    if (!existsSync(CLI)) {
        throw new StepError("Pulumi isn't there, so nothing was deployed from this machine: npm run up installs it");
    }
    const limits = { pause: seconds("pause", desired.pause), running: seconds("running", desired.running) };
    const workspace = findWorkspace();
    const move = await step("Stacks", () => readMove(workspace, from, to, desired));
    switch (action) {
        case "copy":
            await step("Copy", () => copyEverything(move));
            return 0;
        case "check":
            return step("Check", () => check(move));
        case "switch":
            if (!(await isDone(workspace, from))) {
                await prepare(workspace, move);
                await switchClients(move, switchOf(move), limits);
            }
            await setDone(workspace, move);
            await step("Last objects", () => copyLateOddObjects(move));
            say(`all clients use ${to}: change the DNS records of its hostnames now, then remove ${from}`);
            return 0;
        default:
            if (await isDone(workspace, from)) {
                await switchOf(move).set("record");
            }
            await prepare(workspace, move);
            await switchBack(move, switchOf(move), limits);
            await askPulumi(onStack(workspace, from), ["config", "rm", "move"]);
            await deploy(workspace, from);
            // A later move must not find the state of this one.
            remember(move, { name: newName() });
            return 0;
    }
});

function seconds(option: string, text: string): number {
    if (!/^[1-9][0-9]{0,3}$/.test(text)) {
        throw new StepError(`--${option} "${text}" is not a number of seconds: give one from 1 to 9999`);
    }
    return Number(text);
}

async function readMove(
    workspace: Workspace,
    from: string,
    to: string,
    { address, ca, overwrite }: { address?: string[]; ca?: string; overwrite: boolean },
): Promise<Move> {
    const near = await readMovedStack(workspace, from);
    const far = await readMovedStack(workspace, to);
    const addresses = address ?? far.addresses;
    const problems = [
        ...(near.s3Host === far.s3Host && near.consoleHost === far.consoleHost
            ? []
            : [`s3Host and consoleHost differ: ${to} needs those of ${from}, since signatures cover the hostname`]),
        ...(near.keys.accessKey === far.keys.accessKey && near.keys.secretKey === far.keys.secretKey
            ? []
            : [`the root keys differ: ${to} needs those of ${from} from its first update on (docs/moving.md)`]),
        ...(addresses.length > 0
            ? []
            : [`the config of ${to} doesn't say at which addresses ${from} reaches it: give --address IP`]),
    ];
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    const records = new MoveRecords();
    const found = records.read(from, to) ?? { name: newName() };
    return {
        near,
        far: ca === undefined ? far : { ...far, caCertificate: readFileSync(ca, "utf8") },
        addresses,
        image: await rcloneImage(near.node.docker),
        records,
        // With --overwrite everything is copied again.
        record: overwrite && found.begun === undefined ? { ...found, begun: new Date(0).toISOString() } : found,
    };
}

function newName(): string {
    return `move-${Date.now().toString(36)}`;
}

function switchOf({ near, record }: Move): MoveSwitch {
    return new MoveSwitch(near.proxies, record.name, systemClock);
}

async function check(move: Move): Promise<number> {
    const { same, changed, wrong } = await compareStores(move);
    say(`${same} objects are the same, ${changed} have changed since the last copy, ${wrong.length} are wrong`);
    wrong.slice(0, 100).forEach((text) => say(text));
    return wrong.length === 0 ? 0 : 1;
}

/** Makes the proxies ready for the switch: a reload, after which everything goes on as before. */
async function prepare(workspace: Workspace, { near, far, addresses, record, records }: Move): Promise<void> {
    const ofStack = onStack(workspace, near.stack);
    const desired = {
        name: record.name,
        to: addresses.map((address) => `${address}:${far.httpsPort}`),
        ...(far.caCertificate === "" ? {} : { trustedCertificatesFile: caFile(far) }),
    };
    records.write(near.stack, far.stack, record);
    if (far.caCertificate !== "") {
        writeFileSync(join(PROJECT, caFile(far)), far.caCertificate);
    }
    const configured = (await readConfig(ofStack))("move");
    if (configured !== JSON.stringify(desired)) {
        await setMove(ofStack, desired);
    }
    await deploy(workspace, near.stack);
}

function caFile({ stack }: MovedStack): string {
    return relative(PROJECT, join(LOCAL, `${stack}-ca.pem`));
}

/** Whether the config says that the clients are moved. */
async function isDone(workspace: Workspace, stack: string): Promise<boolean> {
    const move = (await readConfig(onStack(workspace, stack)))("move");
    return move !== undefined && (JSON.parse(move) as { done?: boolean }).done === true;
}

/** Records that the clients are moved, so that nothing but the config decides it from now on. */
async function setDone(workspace: Workspace, { near }: Move): Promise<void> {
    await askPulumi(onStack(workspace, near.stack), ["config", "set", "--path", "move.done", "true"]);
    await deploy(workspace, near.stack);
}

async function setMove(
    ofStack: Workspace,
    { to, ...texts }: { to: string[]; [key: string]: string | string[] },
): Promise<void> {
    await askPulumi(ofStack, ["config", "rm", "move"]).catch(() => undefined);
    const values = [
        ...to.map((address, place): [string, string] => [`move.to[${place}]`, address]),
        ...Object.entries(texts).map(([key, text]): [string, string] => [`move.${key}`, String(text)]),
    ];
    for (const [path, value] of values) {
        await askPulumi(ofStack, ["config", "set", "--path", path, value]);
    }
}

/** Runs `npm run up` for a stack. The selected stack stays selected. */
async function deploy(workspace: Workspace, stack: string): Promise<void> {
    const selected = await selectedStack(workspace);
    const command = ["--import", "tsx", join(PROJECT, "tools", "commands", "up.ts"), "--stack", stack];
    const code = await runAttached(process.execPath, command, { cwd: PROJECT, env: process.env });
    if (selected !== undefined) {
        await askPulumi(workspace, ["stack", "select", selected]);
    }
    if (code !== 0) {
        throw new StepError(`the update of ${stack} failed: correct the cause, then run this command again`);
    }
}
