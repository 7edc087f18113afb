import { HaproxyFrontEnd, StorageCluster } from "../../../components";
import type { StackInputs } from "./input";

/** The program: both components, with these args. */
export function deployInputs({ cluster, frontEnd }: StackInputs): void {
    const store = new StorageCluster("store", cluster);
    new HaproxyFrontEnd("front-end", { ...frontEnd, cluster: store.endpoints });
}
