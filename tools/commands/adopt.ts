import { Option } from "commander";
import type { AdoptOptions } from "../adopt/adopt";
import { type CommandDefinition, startIfMain } from "../cli/command";
import { repeatable } from "../cli/options";

export const adopt: CommandDefinition = {
    name: "adopt",
    summary: "Writes a stack for a MinIO or RustFS that was started by other means, on the drives that it has.",
    details:
        "Changes nothing on the Docker daemon. Prints the commands that deploy the store, and those that lead back.",
    options: [
        new Option("--stack <name>", "The stack to write.").makeOptionMandatory(),
        repeatable(new Option("--container <name>", "A node's container. Give it once for each node.")),
        new Option("--compose <project>", "The nodes are those of a project of Docker Compose."),
        repeatable(new Option("--volume <name>", "A drive that is a volume, of a store without a container.")),
        repeatable(new Option("--path <folder>", "A drive that is a folder, of a store without a container.")),
        new Option(
            "--store <store>",
            "With --volume or --path: minio or rustfs. The root keys come on standard input.",
        ),
        new Option(
            "--image <reference>",
            "Image in place of the store's own. With --volume or --path: the store's image.",
        ),
        new Option("--s3-host <name>", "Hostname of S3, in place of the store's own."),
        new Option("--console-host <name>", "Hostname of the console, in place of the store's own."),
        repeatable(new Option("--config <key=value>", "Config beside what the store has, as httpsPort=8443.")),
    ],
    examples: [
        ["--container minio --stack prod", "writes Pulumi.prod.yaml for the container minio"],
        [
            "--store minio --path /mnt/a --path /mnt/b --stack prod",
            "does it for two drives whose store has no container",
        ],
    ],
    run: async (options: AdoptOptions) => (await import("../adopt/adopt")).adopt(options),
};

startIfMain(module, adopt);
