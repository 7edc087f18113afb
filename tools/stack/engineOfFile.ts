import type { Environment } from "../../components/docker/engineEndpoint";
import { adoptContext } from "./namedEngine";
import { limitSessions } from "../machine/sshConnections";
import { PROJECT } from "../paths";
import { fileNamesHosts, fileNamesSsh } from "./stackHosts";

/**
 * Makes the Pulumi CLI use the engines of a stack: those of its hosts, else the one in its config or of Docker's context.
 * Only the stack's file is read, since any command of the CLI may follow.
 *
 * @param cli Environment of the CLI.
 * @param findEngine Called before, if the stack uses this machine's engine.
 * @param folder Folder of the file. Default: the project's.
 */
export async function adoptEngineOfFile(
    stack: string | undefined,
    cli: Environment,
    findEngine: () => Promise<unknown>,
    folder = PROJECT,
): Promise<void> {
    const hasHosts = stack !== undefined && fileNamesHosts(stack, folder);
    if (hasHosts) {
        // The Docker provider would prefer it to every host.
        delete cli["DOCKER_CONTEXT"];
    } else {
        await findEngine();
        adoptContext(cli);
    }
    const bySsh = !hasHosts && /^ssh:/.test(cli["DOCKER_HOST"] ?? "");
    if (bySsh || (stack !== undefined && fileNamesSsh(stack, folder))) {
        limitSessions(cli);
    }
}
