import { checkHaproxyVersion } from "../checks/imageChecks";
import { onEngine, type Requirement } from "./requirement";

/** An image of the proxy has a version of HAProxy that the configuration is written for, as far as the engine has the image. */
export function imageIsSupported(host: string | undefined, propertyPath: string, reference: string): Requirement {
    return onEngine(host, async ({ engine }) =>
        checkHaproxyVersion(propertyPath, reference, await engine.imageVariables(reference)),
    );
}
