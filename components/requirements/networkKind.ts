import type { EngineNetwork } from "../docker/model";

/** Kind of a node network: a bridge on one host, or an overlay over several hosts. */
export type NetworkKind = "bridge" | "encrypted overlay" | "unencrypted overlay";

/** The kind of an existing network. */
export function kindOf({ driver, encrypted }: Pick<EngineNetwork, "driver" | "encrypted">): NetworkKind {
    return driver !== "overlay" ? "bridge" : encrypted ? "encrypted overlay" : "unencrypted overlay";
}
