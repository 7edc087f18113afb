import type { ListedContainer } from "../docker/model";
import type { NodeSpec } from "../store/topology";

/** A node, and its container if there is one. */
export interface PlacedContainer {
    place: NodeSpec;
    container: ListedContainer | undefined;
}

/** What an update does with a node's container. */
export type Step = "create" | "keep" | "replace";

/** A node, and the step that the update takes for it. */
export interface PlannedNode extends PlacedContainer {
    step: Step;
}

/** The facts that determine the order of a rollout. */
export interface RolloutPlan {
    nodes: readonly PlannedNode[];
    /** Whether the store has ever been formed. */
    formed: boolean;
    /** Whether a setting changes that must be identical on all nodes. */
    changesAll: boolean;
}

/** The nodes for which an update takes a step. */
export function placesWith(step: Step, nodes: readonly PlannedNode[]): NodeSpec[] {
    return nodes.filter((node) => node.step === step).map(({ place }) => place);
}
