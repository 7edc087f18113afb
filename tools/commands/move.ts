import type { Option } from "commander";
import { type CommandDefinition, type Example, startIfMain } from "../cli/command";
import type { MoveOptions } from "../move/move";
import { LIMITS, OVERWRITE, STACKS } from "../move/options";

function action(name: string, summary: string, effect: string, ...options: Option[]) {
    const examples: Example[] = [["--from old --to new", effect]];
    const run = async (given: MoveOptions) => (await import("../move/move")).move(name, given);
    return { name, summary, options: [...STACKS, ...options], examples, run };
}

export const move: CommandDefinition = {
    name: "move",
    summary: "Moves objects and clients of a stack to another, while clients work.",
    details: "The order of the steps is in docs/how-to/move.md.",
    actions: [
        action("copy", "Copies buckets, users and objects. Can be repeated.", "copies what isn't there yet", OVERWRITE),
        action("check", "Compares both stores.", "names what is missing or differs"),
        action("switch", "Copies the last changes, and moves all clients.", "moves the clients", OVERWRITE, ...LIMITS),
        action("back", "Lets all clients use the old stack again.", "moves the clients back", ...LIMITS),
    ],
    examples: [],
};

startIfMain(module, move);
