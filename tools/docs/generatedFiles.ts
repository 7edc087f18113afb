import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ACME_CONFIG_KEYS, CONFIG_KEYS } from "../../config/keys";
import { PROJECT } from "../paths";
import { packageManifest } from "../release/packageManifest";
import { FILES_WITH_FACTS, withFacts } from "../release/repeatedFacts";
import { deploymentPicture } from "./deploymentPicture";
import { withGeneratedPart } from "./generatedPart";
import { keyTable } from "./keyTable";
import { REFERENCE, referencePages } from "./referencePages";

/**
 * Every file that is generated from others, completely or in part: its path in the project, and its generated content.
 */
export async function generatedFiles(): Promise<Map<string, string>> {
    return new Map([
        await withKeyTable("docs/configuration.md", "configuration table", CONFIG_KEYS),
        await withKeyTable("docs/certificates.md", "table of ACME's keys", ACME_CONFIG_KEYS),
        await deploymentPicture(),
        ...(await referencePages()),
        ...filesWithFacts(),
    ]);
}

/** Files that repeat keys of package.json. */
function filesWithFacts(): [string, string][] {
    const manifest = packageManifest(PROJECT);
    const examples = readdirSync(join(PROJECT, "examples")).map((example) => `examples/${example}/package.json`);
    return [...FILES_WITH_FACTS, ...examples]
        .filter((path) => existsSync(join(PROJECT, path)))
        .map((path) => [path, withFacts(path, readFileSync(join(PROJECT, path), "utf8"), manifest)]);
}

/** Generated files without a source, left by an earlier version. */
export function strayFiles(files: Map<string, string>): string[] {
    const folder = join(PROJECT, REFERENCE);
    return (existsSync(folder) ? readdirSync(folder) : [])
        .map((file) => `${REFERENCE}/${file}`)
        .filter((file) => !files.has(file));
}

async function withKeyTable(
    path: string,
    name: string,
    keys: Parameters<typeof keyTable>[0],
): Promise<[string, string]> {
    const document = readFileSync(join(PROJECT, path), "utf8");
    return [path, await withGeneratedPart(document, name, keyTable(keys, path))];
}
