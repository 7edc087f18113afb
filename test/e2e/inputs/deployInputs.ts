import { HaproxyFrontEnd, StorageCluster } from "../../../components";
import type { Wish } from "./input";

/** The program: both components, by a wish. */
export function deployInputs({ cluster, frontEnd }: Wish): void {
    const store = new StorageCluster("store", cluster);
    new HaproxyFrontEnd("front-end", { ...frontEnd, cluster: store.endpoints });
}
