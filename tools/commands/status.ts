import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { positiveNumber, stackOption } from "../cli/options";
import type { StatusOptions } from "../status/status";

export const status: CommandDefinition = {
    name: "status",
    summary: "Shows nodes, health, certificate, backends, volumes and disks.",
    details: "Exits with 0 if everything is healthy, with 1 if something isn't, with 2 if that is unknown.",
    options: [
        stackOption("the one of the last run"),
        new Option("--json", "Prints JSON, for programs."),
        positiveNumber(new Option("--certificate-days <days>", "Days that a certificate has to be valid.")).default(14),
        positiveNumber(new Option("--free-percent <percent>", "Free space that a disk has to have.")).default(10),
    ],
    examples: [
        ["--stack prod", "shows the state of the stack prod"],
        ["--certificate-days 30 --free-percent 20", "is stricter than usual"],
    ],
    failureCode: 2,
    run: async (options: StatusOptions) => (await import("../status/status")).status(options),
};

startIfMain(module, status);
