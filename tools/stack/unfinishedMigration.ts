import { fileOfArchive } from "../../components/docker/dockerStreams";
import { throwUnlessMissing } from "../../components/docker/dockerErrors";
import { MARK_FILE, SECRETS_PATH } from "../../components/naming/containerFiles";
import { readMark, whyMigrating } from "../../components/requirements/migrationMark";
import { buffer } from "node:stream/consumers";
import type { StackEngine } from "./stackEngines";
import { StepError } from "../cli/step";
import type { StackState } from "../pulumi/stackState";

/** Ending of the name of a cluster's first node. */
const FIRST_NODE = "-pool1-node1";

/**
 * Refuses to change a stack while a migration between two stores hasn't ended: its nodes are stopped, and the Docker provider would drop
 * stopped containers from the state.
 *
 * @throws {StepError} with the commands that end it.
 */
export async function refuseMigrating(engines: readonly StackEngine[], { resources }: StackState): Promise<void> {
    const names = resources.flatMap(({ inputs }) => inputs?.name ?? []);
    const nodes = [...new Set(names.filter((name) => name.endsWith(FIRST_NODE)))];
    for (const { docker } of engines) {
        for (const node of nodes) {
            const archive = await docker
                .getContainer(node)
                .getArchive({ path: `${SECRETS_PATH}/${MARK_FILE}` })
                .then(buffer, (error: unknown) => {
                    throwUnlessMissing(error);
                    return undefined;
                });
            const mark = readMark(archive && (await fileOfArchive(archive)));
            const reason = whyMigrating(node.slice(0, -FIRST_NODE.length), mark);
            if (reason !== undefined) {
                throw new StepError(reason);
            }
        }
    }
}
