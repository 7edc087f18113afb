import { join } from "node:path";
import { PROJECT } from "../paths";

/**
 * What Pulumi runs the project's programs with: swc in place of TypeScript's compiler (`ts-node.swc` of tsconfig.json), which
 * halves the time of a preview, and no check of types, which is `npm test`'s.
 */
export const PROGRAM_ENVIRONMENT = {
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    PULUMI_NODEJS_TSCONFIG_PATH: join(PROJECT, "tsconfig.json"),
};
