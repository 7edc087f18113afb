import { Option } from "commander";
import { repeatable, wholeNumber } from "../cli/options";
import { DEFAULT_PAUSE_SECONDS } from "./pause";

/** Options of every action of `npm run move`. */
export const STACKS = [
    new Option("--from <stack>", "The stack that clients use now.").makeOptionMandatory(),
    new Option("--to <stack>", "The stack that takes its place.").makeOptionMandatory(),
    repeatable(new Option("--address <ip>", "Where --from reaches --to, for each proxy. Default: from its config.")),
    new Option("--ca <file>", "CA of the certificate of --to. Default: its own."),
];

export const OVERWRITE = new Option("--overwrite", "Copies everything again, also what was copied before.");

/** Time limits of the actions that hold writes. */
export const LIMITS = [
    seconds("--pause", "Longest time for which writes are held; then they go on as before.", 5, DEFAULT_PAUSE_SECONDS),
    seconds("--running", "Time for running writes to end before the pause is given up.", 1, 10),
];

function seconds(flag: string, description: string, least: number, otherwise: number): Option {
    return wholeNumber(new Option(`${flag} <seconds>`, description), least, 9999).default(otherwise);
}
