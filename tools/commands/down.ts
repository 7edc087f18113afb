import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { stackOption } from "../cli/options";
import type { DownOptions } from "../down/down";

export const down: CommandDefinition = {
    name: "down",
    summary: "Removes a stack, but keeps its data, and the credentials and CA that belong to the data.",
    options: [
        stackOption("the one of the last run"),
        new Option("--delete-data", "Deletes the data volumes too, once you have typed the stack's name."),
        new Option(
            "--delete-credentials",
            "With --delete-data: also forgets the credentials of drives that are folders.",
        ),
        new Option("--yes", "With --delete-data: doesn't ask for the stack's name."),
    ],
    examples: [
        ["", "removes the stack of the last run; `npm run up` brings it back with its data"],
        ["--stack prod --delete-data", "removes the stack prod and its data volumes"],
    ],
    run: async (options: DownOptions) => (await import("../down/down")).down(options),
};

startIfMain(module, down);
