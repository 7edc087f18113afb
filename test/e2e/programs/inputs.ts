import { deployInputs } from "../inputs/deployInputs";
import type { Wish } from "../inputs/input";

// Both components, by a wish in the environment.
deployInputs(JSON.parse(process.env["INPUTS_WISH"] ?? "") as Wish);
