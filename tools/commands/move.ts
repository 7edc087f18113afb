import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { repeatable, wholeNumber } from "../cli/options";
import type { MoveOptions } from "../move/move";
import { DEFAULT_PAUSE_SECONDS } from "../move/pause";

const seconds = (flags: string, description: string, least: number) =>
    wholeNumber(new Option(`${flags} <seconds>`, description), least, 9999);

const stacks = [
    new Option("--from <stack>", "The stack that clients use now.").makeOptionMandatory(),
    new Option("--to <stack>", "The stack that takes its place.").makeOptionMandatory(),
    repeatable(
        new Option("--address <ip>", "Where --from reaches --to, for each front end. Default: from its config."),
    ),
    new Option("--ca <file>", "CA of the certificate of --to. Default: its own."),
];
const overwrite = new Option("--overwrite", "Copies everything again, also what was copied before.");
const limits = [
    seconds("--pause", "Longest time for which writes are held; then they go on as before.", 5).default(
        DEFAULT_PAUSE_SECONDS,
    ),
    seconds("--running", "Time for running writes to end before the pause is given up.", 1).default(10),
];

function action(name: string, summary: string, effect: string, options: Option[]) {
    const run = async (given: MoveOptions) => (await import("../move/move")).move(name, given);
    return {
        name,
        summary,
        options: [...stacks, ...options],
        examples: [["--from old --to new", effect] as const],
        run,
    };
}

export const move: CommandDefinition = {
    name: "move",
    summary: "Moves objects and clients of a stack to another, while clients work.",
    details: "The order of the steps is in docs/moving.md.",
    actions: [
        action("copy", "Copies buckets, users and objects. Can be repeated.", "copies what isn't there yet", [
            overwrite,
        ]),
        action("check", "Compares both stores.", "names what is missing or differs", []),
        action("switch", "Copies what changed last, and lets all clients use the new stack.", "moves the clients", [
            overwrite,
            ...limits,
        ]),
        action("back", "Lets all clients use the old stack again.", "moves the clients back", limits),
    ],
    examples: [],
};

startIfMain(module, move);
