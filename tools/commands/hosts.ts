import { type CommandDefinition, startIfMain } from "../cli/command";
import { stackOption } from "../cli/options";
import type { HostsOptions } from "../hosts/hosts";

const options = [stackOption("the one of the last run")];

export const hosts: CommandDefinition = {
    name: "hosts",
    summary: "Makes the hosts of a stack one Docker swarm, or shows whether they are.",
    details: "Exits with 1 if anything prevents a store on these hosts.",
    actions: [
        {
            name: "join",
            summary: "Makes the hosts of a stack members of one Docker swarm. Can be repeated safely.",
            options,
            examples: [["--stack prod", "makes the hosts in Pulumi.prod.yaml one swarm"]],
            run: async (given: HostsOptions) => (await import("../hosts/hosts")).join(given),
        },
        {
            name: "status",
            summary: "Shows the membership of each host, and what prevents a store on them.",
            options,
            examples: [["--stack prod", "shows the hosts in Pulumi.prod.yaml"]],
            run: async (given: HostsOptions) => (await import("../hosts/hosts")).status(given),
        },
    ],
    examples: [],
};

startIfMain(module, hosts);
