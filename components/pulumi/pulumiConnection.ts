import * as pulumi from "@pulumi/pulumi";
import { monitorConnection } from "./internals";

/** Returns a function that says whether Pulumi has ended, for the program or component that calls this now. */
export function pulumiConnection(): () => boolean {
    return monitorConnection(pulumi.runtime);
}
