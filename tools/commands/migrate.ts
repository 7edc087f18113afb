import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { notEmpty, stackOption } from "../cli/options";
import type { MigrateCommandOptions } from "../../migration/migrateCommand";

export const migrate: CommandDefinition = {
    name: "migrate",
    summary: "Gives the drives of MinIO to RustFS, or back, with everything on them.",
    details:
        "Tries the other store on the drives before it changes the stack, compares what both have, and starts the former one again if " +
        "they differ. An outage of all nodes. Goes on with a migration that was interrupted.",
    options: [
        new Option("--to <store>", "The store that gets the drives.").choices(["rustfs", "minio"]).conflicts("back"),
        new Option("--back", "Returns to the store that the cluster had."),
        notEmpty(new Option("--image <reference>", "Image of the store that gets the drives. Default: its profile's.")),
        new Option("--check", "Changes nothing: lists what stands in the way, what is lost, and how long it takes."),
        new Option(
            "--lose-settings",
            "Bucket settings, users and policies that the other store doesn't take may be lost.",
        ),
        new Option("--lose-unreadable", "Objects that the other store can't read may be lost."),
        stackOption("that of the last run"),
        new Option("--cluster <name>", "A cluster of a program of your own, in place of a stack's.").conflicts("stack"),
    ],
    examples: [
        ["--to rustfs --check", "says what a migration of the stack of the last run would do"],
        ["--to rustfs --image rustfs/rustfs:1.0.1 --stack prod", "migrates the stack prod"],
        ["--back --stack prod", "returns to MinIO"],
    ],
    run: async (options: MigrateCommandOptions) => (await import("../../migration/migrateCommand")).runMigrate(options),
};

startIfMain(module, migrate);
