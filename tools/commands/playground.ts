import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { noInstallOption, wholeNumber } from "../cli/options";
import type { PlaygroundOptions } from "../playground/actions";
import { FEWEST_HOSTS, MOST_HOSTS } from "../playground/playground";

export const playground: CommandDefinition = {
    name: "playground",
    summary: "Makes a store over virtual hosts on this machine, to try several hosts.",
    options: [
        wholeNumber(
            new Option("--hosts <number>", "Makes that many hosts and deploys the store; starts what doesn't run."),
            FEWEST_HOSTS,
            MOST_HOSTS,
        ),
        new Option("--store <store>", "With --hosts: the store. Without it: as `npm run up`.").choices([
            "rustfs",
            "minio",
        ]),
        new Option("--kill <host>", "Kills every process of a host: it loses its power.").conflicts(["hosts", "down"]),
        new Option("--down", "Removes the playground and its data.").conflicts(["hosts", "kill"]),
        noInstallOption(),
    ],
    examples: [
        ["--hosts 3", "makes three hosts, and a store over them"],
        ["--kill c", "takes the power from the host c; --hosts 3 starts it again"],
        ["--down", "removes everything"],
    ],
    run: async (options: PlaygroundOptions) => (await import("../playground/actions")).playground(options),
};

startIfMain(module, playground);
