import type { PlacedContainer } from "./nodeReplacement";

/** What an update does with a node's container. */
export type Step = "create" | "keep" | "replace";

/** A node, and the step that the update takes for it. */
export interface PlannedNode extends PlacedContainer {
    step: Step;
}
