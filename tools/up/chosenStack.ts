import type Docker from "dockerode";
import { say } from "../cli/step";
import { type BuiltStore, buildStoreImages, imageSource, takeStoreImages } from "../images/storeImages";
import { selectedStack, type Workspace } from "../pulumi/workspace";
import { namedEngine } from "../stack/namedEngine";

/** The stack that the user names, else that of the last run, else the one whose images are there soonest. */
export async function chooseStack(
    workspace: Workspace,
    desired: { store?: BuiltStore; stack?: string },
): Promise<string> {
    if (desired.stack !== undefined) {
        say(`taking the stack ${desired.stack}, as asked`);
        return desired.stack;
    }
    const docker = await namedEngine();
    const last = await selectedStack(workspace);
    if (last !== undefined && desired.store === undefined) {
        say(`taking the stack ${last} of the last run (another one: --stack NAME)`);
        await buildImagesOf(docker, last);
        return last;
    }
    const { profile, isBuilt } = await takeStoreImages(imageSource(docker), desired.store);
    const stack = !isBuilt ? "dev" : profile === "rustfs" ? "offline-rustfs" : "offline";
    say(`taking the stack ${stack}`);
    return stack;
}

/** Builds the images of the stacks that use built ones. */
async function buildImagesOf(docker: Docker, stack: string): Promise<void> {
    if (stack === "offline" || stack === "offline-rustfs") {
        await buildStoreImages(docker, stack === "offline" ? "minio" : "rustfs");
    }
}
