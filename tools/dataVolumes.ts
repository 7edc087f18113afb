import { DockerEngine } from "../components/dockerEngine";
import { LABEL_PREFIX } from "../components/topology";
import { StepError } from "./step";
import { askPulumi, type Workspace } from "./workspace";

/** A resource, as an exported state has it. */
interface StateResource {
    urn: string;
    type: string;
    id?: string;
    inputs?: { name?: string };
}

/** Names of the data volumes that the stack's state holds. */
export async function dataVolumesInState(workspace: Workspace): Promise<string[]> {
    const exported = JSON.parse(await askPulumi(workspace, ["stack", "export"])) as {
        deployment: { resources?: StateResource[] };
    };
    return (exported.deployment.resources ?? [])
        .filter(({ type, urn }) => type === "docker:index/volume:Volume" && /-drive\d+$/.test(urn))
        .map(({ inputs, id }) => inputs?.name ?? id ?? "")
        .sort();
}

/**
 * Refuses to deploy over data that the stack's state doesn't know: it would get credentials that don't open it.
 *
 * @throws {StepError} with the volumes' names, and what to do.
 */
export async function refuseDataOfOthers(workspace: Workspace, clusterName: string): Promise<void> {
    const engine = await DockerEngine.connect();
    const there = Object.keys(await engine.volumeLabels(`${LABEL_PREFIX}.cluster`, clusterName));
    if (there.length === 0 || (await dataVolumesInState(workspace)).length > 0) {
        return;
    }
    throw new StepError(
        `the cluster ${clusterName} has data on this engine that the stack's state doesn't know:\n${list(there.sort())}\n` +
            "It was deployed from another checkout or with another backend, which holds its credentials. Go on from there, " +
            "or bring its state here (.local/state and .local/passphrase), or give this stack a name of its own:\n" +
            "    npm run pulumi -- config set clusterName NAME\n" +
            "To deploy over the data all the same, set accessKey and secretKey to the ones that open it, then run\n" +
            "    npm run pulumi -- up",
    );
}

/** Names as lines. */
export function list(names: string[]): string {
    return names.map((name) => `    ${name}`).join("\n");
}
