import { instance } from "@viz-js/viz";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../paths";

/** The diagram's source, in Graphviz's language. */
export const PICTURE_SOURCE = "docs/images/deployment.dot";

/** The diagram of the deployment, by its path. */
export async function deploymentPicture(): Promise<[string, string]> {
    const graphviz = await instance();
    const svg = graphviz.renderString(readFileSync(join(PROJECT, PICTURE_SOURCE), "utf8"), { format: "svg" });
    return [PICTURE_SOURCE.replace(/\.dot$/, ".svg"), svg];
}
