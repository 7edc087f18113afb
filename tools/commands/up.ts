import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { noInstallOption, stackOption } from "../cli/options";
import type { UpOptions } from "../up/up";

export const up: CommandDefinition = {
    name: "up",
    summary: "Deploys a stack, from a fresh clone too.",
    details:
        "Finds or installs Docker, Pulumi's CLI with its plugins, and the images, and lists before what it installs. " +
        "Prints the URLs at the end. Can be repeated safely.",
    options: [
        stackOption("the one of the last run; at first, one of this project's, with images that can be had"),
        new Option("--store <store>", "Takes one of this project's stacks, by its store.").choices(["rustfs", "minio"]),
        noInstallOption(),
    ],
    examples: [
        ["", "deploys the stack of the last run; at first one with a node, on this machine alone"],
        ["--stack prod", "deploys the stack that Pulumi.prod.yaml describes"],
        ["--store rustfs", "takes RustFS; where no registry answers, builds it in 20 minutes to an hour"],
    ],
    run: async (options: UpOptions) => (await import("../up/up")).up(options),
};

startIfMain(module, up);
