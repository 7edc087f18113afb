import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Creates a folder for each drive, and returns their paths, one list for each node. */
export function foldersFor(parent: string, nodeCount: number, drivesPerNode: number): string[][] {
    const places = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    return places(nodeCount).map((node) =>
        places(drivesPerNode).map((drive) => {
            const path = join(parent, `node${node}-drive${drive}`);
            mkdirSync(path, { recursive: true });
            return path;
        }),
    );
}
