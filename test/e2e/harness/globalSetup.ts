import { randomBytes } from "node:crypto";
import { CLI_FOLDER } from "../../../tools/pulumiToolchain";
import { testImages } from "./testRun";

/** One name for the run, and the tools in the versions that the project pins. Fails where a prerequisite is missing. */
export default function globalSetup(): void {
    process.env["OBJECT_STORE_TEST_RUN"] ??= `e2e-${randomBytes(3).toString("hex")}`;
    process.env["DOCKER_HOST"] = testImages().dockerHost;
    process.env["PATH"] = `${CLI_FOLDER}:${process.env["PATH"]}`;
}
