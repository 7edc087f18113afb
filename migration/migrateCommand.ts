import { UsageError } from "../tools/cli/step";
import { preparePulumi } from "../tools/pulumi/toolchain";
import { findWorkspace, selectedStack } from "../tools/pulumi/workspace";
import { migrateNamedCluster, migrateStack, type MigrateRequest } from "./stackMigration";

/** Options of `npm run migrate`. */
export interface MigrateCommandOptions extends Partial<MigrateRequest> {
    back?: boolean;
    stack?: string;
    cluster?: string;
}

/** Migrates a cluster of a stack, or of a program of your own. Returns the exit code. */
export async function runMigrate({ back, stack, cluster, ...request }: MigrateCommandOptions): Promise<number> {
    if (back !== true && request.to === undefined) {
        throw new UsageError("give --to rustfs, --to minio, or --back");
    }
    const whole = { check: false, loseSettings: false, loseUnreadable: false, ...request };
    if (cluster !== undefined) {
        return migrateNamedCluster(cluster, whole);
    }
    await preparePulumi();
    const workspace = findWorkspace();
    const named = stack ?? (await selectedStack(workspace));
    if (named === undefined) {
        throw new UsageError(
            "no stack was deployed here yet: name one by --stack, or a program's own cluster by --cluster",
        );
    }
    return migrateStack(workspace, named, whole);
}
