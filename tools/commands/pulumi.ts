import { Argument, Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";

export const pulumi: CommandDefinition = {
    name: "pulumi",
    summary: "Runs Pulumi's CLI with the backend, the passphrase and the stack of `npm run up`.",
    details: "For Pulumi's own help: npm run pulumi -- help",
    arguments: [new Argument("[args...]", "What Pulumi gets.")],
    examples: [
        ["preview --diff", "shows what an update would change"],
        ["config set logLevel info", "changes a setting; `npm run up` applies it"],
        ["stack output --json --show-secrets", "prints URLs and credentials"],
    ],
    passesThrough: true,
    passedOptions: [
        new Option("--stack <name>"),
        new Option("--secret"),
        new Option("--show-secrets"),
        new Option("--plaintext"),
        new Option("--diff"),
        new Option("--path"),
        new Option("--refresh"),
        new Option("--target <urn>"),
    ],
    run: async (_options: object, args) => (await import("../pulumi/cli")).runCli(args),
};

startIfMain(module, pulumi);
