import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RepositoryKey } from "./repository";

/** The keys of package.json that other files repeat. */
export interface PackageManifest {
    name: string;
    version: string;
    description: string;
    keywords: string[];
    license: string;
    author: string;
    repository?: RepositoryKey;
}

/** The package.json of a project folder. */
export function packageManifest(project: string): PackageManifest {
    return JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as PackageManifest;
}
