import { readFileSync } from "node:fs";
import { systemClock } from "../../components/docker/poll";
import { say, step, StepError, UsageError } from "../cli/step";
import { compareStores } from "./comparison";
import { copyEverything, remember, type Move } from "./copySteps";
import { checkForwardedClients } from "./forwardedClients";
import { configureMove, forgetMove } from "./moveConfig";
import { leadsTo, readMovedStack, type MovedStack } from "./movedStack";
import { MoveRecords } from "./moveRecord";
import type { SwitchLimits } from "./pause";
import { rcloneImage } from "./objectCopy";
import { MoveSwitch } from "./proxies";
import { storeInUse, switchBack, switchClients } from "./switchSteps";
import { refuseWithoutPulumi } from "../stack/deployedStack";
import { whileLocked } from "../pulumi/stackLock";
import { findWorkspace, type Workspace } from "../pulumi/workspace";

/** Options of the actions of `npm run move`. Those that an action doesn't have are undefined. */
export interface MoveOptions {
    from: string;
    to: string;
    address?: string[];
    ca?: string;
    overwrite?: boolean;
    /** Seconds. */
    pause?: number;
    /** Seconds. */
    running?: number;
}

type Options = MoveOptions & { limits: SwitchLimits };

/** Does one action of a move of the objects and the clients of one stack to another (docs/how-to/move.md). Returns the exit code. */
export async function move(action: string, given: MoveOptions): Promise<number> {
    const { from, to, pause = 0, running = 0 } = given;
    if (from === to) {
        throw new UsageError(`--from and --to are both "${from}": name two stacks`);
    }
    refuseWithoutPulumi();
    const records = new MoveRecords();
    const locked = (stack: string, work: () => Promise<number>) => () =>
        whileLocked(records.locks(stack), work, `a move of ${stack}, or to it,`);
    const [first = "", second = ""] = [from, to].sort();
    return locked(
        first,
        locked(second, () => act(action, { ...given, limits: { pause, running } }, records)),
    )();
}

async function act(action: string, options: Options, records: MoveRecords): Promise<number> {
    const workspace = findWorkspace();
    const move = await step("Stacks", () => readMove(workspace, options, records));
    const proxies = switchOf(move.near, move.record.name);
    switch (action) {
        case "copy":
            await step("Copy", () => copyEverything(move));
            return 0;
        case "check":
            return step("Check", () => check(move));
        case "switch":
            if (!move.near.isMoveDone && (await storeInUse(move, proxies)) === "first") {
                refuseHiddenClients(move);
                await configureMove(workspace, move, false);
                await switchClients(move, proxies, options.limits);
            }
            await configureMove(workspace, move, true);
            // An earlier move in the other direction is over.
            records.remove(options.to, options.from);
            say(
                `all clients use ${options.to}: change the DNS records of its hostnames now, then remove ${options.from}`,
            );
            return 0;
        default:
            return goBack(workspace, move, proxies, options);
    }
}

async function goBack(workspace: Workspace, move: Move, proxies: MoveSwitch, { limits }: Options): Promise<number> {
    const { near } = move;
    if (!near.isMoveDone && (await storeInUse(move, proxies)) === "first") {
        say(`the clients use ${near.stack}`);
    } else {
        if (move.record.switchedAt === undefined) {
            throw new StepError(
                "this machine doesn't know when the clients were moved: go back from the one that moved them",
            );
        }
        if (near.isMoveDone) {
            // The next configuration leaves it to this note.
            await proxies.set("record");
        }
        await configureMove(workspace, move, false);
        await switchBack(move, proxies, limits);
    }
    await forgetMove(workspace, near.stack);
    // A later move must not find the state of this one.
    remember(move, { name: newName() });
    return 0;
}

async function readMove(
    workspace: Workspace,
    { from, to, address, ca, overwrite = false }: Options,
    records: MoveRecords,
): Promise<Move> {
    const near = await readMovedStack(workspace, from);
    const far = await readMovedStack(workspace, to);
    const addresses = address ?? far.addresses;
    const record = records.read(from, to) ?? { name: newName() };
    const problems = [
        ...(near.s3Host === far.s3Host && near.consoleHost === far.consoleHost
            ? []
            : [`s3Host and consoleHost differ: ${to} needs those of ${from}, since signatures cover the hostname`]),
        ...(near.keys.accessKey === far.keys.accessKey && near.keys.secretKey === far.keys.secretKey
            ? []
            : [`the root keys differ: ${to} needs those of ${from} from its first update on (docs/how-to/move.md)`]),
        ...(addresses.length > 0
            ? []
            : [`the config of ${to} doesn't say at which addresses ${from} reaches it: give --address IP`]),
        ...addresses
            .filter((address) => leadsTo(near, address, far.httpsPort))
            .map(
                (address) => `${address}:${far.httpsPort} is ${from} itself: give the proxies of ${to} (--address IP)`,
            ),
        ...(await otherMoves(near, far, record.name)),
    ];
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return {
        near,
        far: ca === undefined ? far : { ...far, caCertificate: readFileSync(ca, "utf8") },
        addresses,
        image: await rcloneImage(near.node.docker),
        records,
        // With --overwrite everything is copied again.
        record: overwrite && record.begun === undefined ? { ...record, begun: new Date(0).toISOString() } : record,
        forwarding: async () => (await switchOf(near, record.name).states()).map(({ isMoved }) => isMoved),
    };
}

/** Problems with moves of these stacks to others. */
async function otherMoves(near: MovedStack, far: MovedStack, name: string): Promise<string[]> {
    const isForwarding = async (stack: MovedStack, move: string) =>
        (await switchOf(stack, move).states()).some(({ isMoved }) => isMoved);
    const other = near.moveName === name ? undefined : near.moveName;
    return [
        ...(far.moveName !== undefined || (await isForwarding(far, name))
            ? [
                  `${far.stack} forwards its own clients to another store, or is ready to: remove move from its config and update ` +
                      `it first (npm run up -- --stack ${far.stack})`,
              ]
            : []),
        ...(other !== undefined && (near.isMoveDone || (await isForwarding(near, other)))
            ? [
                  `the clients of ${near.stack} use another store already, by the move ${other} in its config, which this machine ` +
                      "doesn't know for these stacks",
              ]
            : []),
    ];
}

function newName(): string {
    return `move-${Date.now().toString(36)}`;
}

function switchOf({ proxies }: MovedStack, name: string): MoveSwitch {
    return new MoveSwitch(proxies, name, systemClock);
}

/** Refuses a switch after which the second stack couldn't distinguish its clients. */
function refuseHiddenClients({ near, far }: Move): void {
    const problems = checkForwardedClients([near.stack, far.stack], far.networks, near.hostAddresses);
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
}

async function check(move: Move): Promise<number> {
    const { same, changed, wrong } = await compareStores(move);
    say(`${same} objects are the same, ${changed} have changed since the last copy, ${wrong.length} are wrong`);
    wrong.slice(0, 100).forEach((text) => say(text));
    return wrong.length === 0 ? 0 : 1;
}
