import { askPulumi, type Workspace } from "./workspace";

/** Types of what the stack has on the engine. */
export const DOCKER_TYPES = {
    container: "docker:index/container:Container",
    image: "docker:index/remoteImage:RemoteImage",
    network: "docker:index/network:Network",
    volume: "docker:index/volume:Volume",
} as const;

/** A resource, as an exported state has it. */
export interface StateResource {
    urn: string;
    type: string;
    id?: string;
    /** Whether Pulumi refuses to delete it. */
    protect?: boolean;
    inputs?: {
        name?: string;
        mustRun?: boolean;
        labels?: { label: string; value: string }[];
        /** Options of a volume's driver; `device` is the folder of the host that it stands on. */
        driverOpts?: { [option: string]: string };
    };
}

/** What an update had begun with a resource when it was killed. */
export interface PendingOperation {
    /** `creating`, `updating`, `deleting` … */
    type: string;
    resource: StateResource;
}

/** What the state knows. */
export interface StackState {
    resources: StateResource[];
    /** Noted before the engine is asked for anything, and until the outcome is noted. */
    pending: PendingOperation[];
}

/** An exported state, with all that is not looked at here. */
export interface ExportedState {
    deployment: { resources?: StateResource[]; pending_operations?: PendingOperation[] };
}

/** The state, as the CLI exports it: secrets encrypted. */
export async function exportState(workspace: Workspace): Promise<ExportedState> {
    return JSON.parse(await askPulumi(workspace, ["stack", "export"])) as ExportedState;
}

/** Reads the stack's state. */
export async function readState(workspace: Workspace): Promise<StackState> {
    const { resources = [], pending_operations: pending = [] } = (await exportState(workspace)).deployment;
    return { resources, pending };
}

/** Name of a resource on the engine. */
export function nameOf({ inputs, id }: StateResource): string {
    return inputs?.name ?? id ?? "";
}

/** Whether a resource is a data volume. */
export function isDataVolume({ type, urn }: StateResource): boolean {
    return type === DOCKER_TYPES.volume && /-drive\d+$/.test(urn);
}
