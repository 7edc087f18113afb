import { parseArgs } from "node:util";
import { migrateNamedCluster, migrateStack } from "../../migration/stackMigration";
import { main, StepError } from "../cli/step";
import { preparePulumi } from "../pulumi/toolchain";
import { findWorkspace, selectedStack } from "../pulumi/workspace";

const OPTIONS = {
    to: { type: "string" },
    image: { type: "string" },
    back: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    "lose-settings": { type: "boolean", default: false },
    "lose-unreadable": { type: "boolean", default: false },
    stack: { type: "string" },
    cluster: { type: "string" },
} as const;

// npm run migrate -- --to rustfs [--image IMAGE] [--check] [--lose-settings] [--lose-unreadable] [--stack NAME | --cluster NAME]
// npm run migrate -- --back [--image IMAGE] [--stack NAME | --cluster NAME]
void main(async () => {
    const { values } = parseArgs({ options: OPTIONS });
    if ((values.to === undefined) !== values.back) {
        throw new StepError("give either --to rustfs, --to minio, or --back");
    }
    const request = {
        ...(values.to === undefined ? {} : { to: values.to }),
        ...(values.image === undefined ? {} : { image: values.image }),
        check: values.check,
        loseSettings: values["lose-settings"],
        loseUnreadable: values["lose-unreadable"],
    };
    if (values.cluster !== undefined) {
        return migrateNamedCluster(values.cluster, request);
    }
    await preparePulumi();
    const workspace = findWorkspace();
    const stack = values.stack ?? (await selectedStack(workspace));
    if (stack === undefined) {
        throw new StepError(
            "no stack was deployed here yet: name one by --stack, or a program's own cluster by --cluster",
        );
    }
    return migrateStack(workspace, stack, request);
});
