import { clusterInputs } from "./clusterInputs";
import { frontEndInputs } from "./frontEndInputs";
import type { Materials } from "./materials";
import { profileInputs } from "./profileInputs";

/** Every input of a stack on one host, by the part that it belongs to. */
export function tablesOfInputs(given: () => Materials) {
    return { cluster: clusterInputs(given), profile: profileInputs(given), proxy: frontEndInputs(given) };
}
