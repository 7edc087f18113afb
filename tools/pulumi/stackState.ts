import { askPulumi, type Workspace } from "./workspace";

/** Types of the stack's resources on the engine. */
export const DOCKER_TYPES = {
    container: "docker:index/container:Container",
    image: "docker:index/remoteImage:RemoteImage",
    network: "docker:index/network:Network",
    volume: "docker:index/volume:Volume",
} as const;

/** A resource in an exported state. */
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
        /** Options of a volume's driver; `device` is the host folder that contains it. */
        driverOpts?: { [option: string]: string };
    };
}

/** An operation that an update had started when it was killed. */
export interface PendingOperation {
    /** `creating`, `updating`, `deleting` … */
    type: string;
    resource: StateResource;
}

/** The content of the state. */
export interface StackState {
    resources: StateResource[];
    /** Recorded before a request to the engine, until the result is recorded. */
    pending: PendingOperation[];
}

/** An exported state, including the parts that aren't used here. */
export interface ExportedState {
    deployment: { resources?: StateResource[]; pending_operations?: PendingOperation[] };
}

/** The state as exported by the CLI, with encrypted secrets. */
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
