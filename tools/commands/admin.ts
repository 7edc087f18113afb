import { Argument, Option } from "commander";
import type { AdminOptions } from "../admin/admin";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { stackOption } from "../cli/options";

export const admin: CommandDefinition = {
    name: "admin",
    summary: "Runs MinIO's client mc beside the store, as its root user, for buckets, users, policies and keys.",
    details: "The store's name is `store`. For mc's own help: npm run admin -- -- --help",
    arguments: [new Argument("<args...>", "What mc gets.")],
    options: [
        stackOption("the one of the last run"),
        new Option("--store <name>", "One of the stack's additional stores. Without it: the stack's own store."),
    ],
    examples: [
        ["ls store", "lists the buckets"],
        ["--stack prod admin user ls store", "lists the users of the stack prod"],
        ["--store media mb store/films", "makes a bucket in the additional store media"],
    ],
    passesThrough: true,
    run: async (options: AdminOptions, args) => (await import("../admin/admin")).admin(options, args),
};

startIfMain(module, admin);
