import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testImages } from "./testRun";

/**
 * Writes a program `aws` to a folder: the AWS CLI, in a container, on a machine that knows a store's hostname. It gets the variables
 * that the documents name, and the current folder.
 *
 * @returns `PATH` with that folder.
 */
export function installAwsCli(folder: string, hostname: string, address: string): string {
    const variables = ["ENDPOINT_URL", "CA_BUNDLE", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"];
    const options = [
        ...["--network host", `--add-host ${hostname}:${address}`, '--volume "$PWD:$PWD" --workdir "$PWD"'],
        ...variables.map((name) => `--env AWS_${name}`),
    ];
    mkdirSync(folder, { recursive: true });
    const aws = join(folder, "aws");
    writeFileSync(aws, `#!/bin/sh\nexec docker run --rm ${options.join(" ")} ${testImages().clients} aws "$@"\n`);
    chmodSync(aws, 0o755);
    return `${folder}:${process.env["PATH"] ?? ""}`;
}
