import * as pulumi from "@pulumi/pulumi";
import { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";
import { answerImports } from "../components/pulumi/internals";
import { ignoreLostOutput } from "../config/lostOutput";
import { ComponentPackage } from "./componentPackage";

/** Time between two looks whether Pulumi still runs, in milliseconds. */
const LOOK_INTERVAL = 5000;

ignoreLostOutput([process.stdout, process.stderr]);
answerImports(ReadRequest);

// Pulumi stops its plugins, unless it is killed.
const { ppid: pulumiProcess } = process;
setInterval(() => {
    if (process.ppid !== pulumiProcess) {
        process.exit(1);
    }
}, LOOK_INTERVAL).unref();

// Pulumi runs this with the engine's address, for programs in whatever language. Until a component is made, the SDK doesn't know it:
// messages would go to the plugin's output, which Pulumi doesn't show.
pulumi.runtime.resetOptions("project", "stack", -1, process.argv.slice(2).at(-1) ?? "", "", false, "");
void pulumi.provider.main(new ComponentPackage(), process.argv.slice(2));
