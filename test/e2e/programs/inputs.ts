import { deployInputs } from "../inputs/deployInputs";
import type { StackInputs } from "../inputs/input";

// Both components, with args from the environment.
deployInputs(JSON.parse(process.env["DESIRED_INPUTS"] ?? "") as StackInputs);
