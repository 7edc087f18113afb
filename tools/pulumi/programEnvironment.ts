import { join } from "node:path";
import { PROJECT } from "../paths";

/**
 * Environment of the project's programs: Pulumi uses swc instead of TypeScript's compiler (`ts-node.swc` of
 * tsconfig.json), which halves the time of a preview. Types aren't checked; `npm test` does that. Node.js 22 and newer
 * keep what they have compiled of the packages' JavaScript.
 */
export const PROGRAM_ENVIRONMENT = {
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    PULUMI_NODEJS_TSCONFIG_PATH: join(PROJECT, "tsconfig.json"),
    NODE_COMPILE_CACHE: join(PROJECT, ".local", "compile-cache"),
};
