import { HaproxyFrontEnd, StorageCluster } from "../../../components";
import type { StackInputs } from "./input";

/** The program: both components, with these args. */
export function deployInputs({ cluster, proxy }: StackInputs): void {
    const store = new StorageCluster("store", cluster);
    new HaproxyFrontEnd("front-end", { ...proxy, cluster: store.endpoints });
}
