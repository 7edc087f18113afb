import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ACME_CONFIG_KEYS, ADDITIONAL_STORE_KEYS, CONFIG_KEYS, SAME_IN_ADDITIONAL_STORES } from "../../../config/keys";
import { PROJECT } from "../../paths";
import { packageManifest } from "../release/packageManifest";
import { FILES_WITH_FACTS, withFacts } from "../release/repeatedFacts";
import { COMMANDS } from "../../commands/all";
import { COMMAND_PAGE, commandHelp, commandTable } from "./commandPage";
import { deploymentPicture } from "./deploymentPicture";
import { withGeneratedPart } from "./generatedPart";
import { keyTable } from "./keyTable";
import { REFERENCE, referencePages } from "./referencePages";

/**
 * Every file that is generated from others, completely or in part: its path in the project, and its generated content.
 */
export async function generatedFiles(): Promise<Map<string, string>> {
    return new Map([
        await configurationPage("docs/configuration.md"),
        await withKeyTable("docs/certificates.md", "table of ACME's keys", ACME_CONFIG_KEYS),
        await deploymentPicture(),
        ...(await referencePages()),
        [COMMAND_PAGE, await withGeneratedPart(read(COMMAND_PAGE), "help of the commands", commandHelp(COMMANDS))],
        ...(await withCommandTable("README.md", filesWithFacts())),
    ]);
}

async function withCommandTable(path: string, files: [string, string][]): Promise<Map<string, string>> {
    const all = new Map(files);
    const document = all.get(path) ?? read(path);
    return all.set(path, await withGeneratedPart(document, "table of the commands", commandTable(COMMANDS)));
}

/** Files that repeat keys of package.json. */
function filesWithFacts(): [string, string][] {
    const manifest = packageManifest(PROJECT);
    const examples = readdirSync(join(PROJECT, "examples")).map((example) => `examples/${example}/package.json`);
    return [...FILES_WITH_FACTS, ...examples]
        .filter((path) => existsSync(join(PROJECT, path)))
        .map((path) => [path, withFacts(path, read(path), manifest)]);
}

/** Generated files without a source, left by an earlier version. */
export function strayFiles(files: Map<string, string>): string[] {
    const folder = join(PROJECT, REFERENCE);
    return (existsSync(folder) ? readdirSync(folder) : [])
        .map((file) => `${REFERENCE}/${file}`)
        .filter((file) => !files.has(file));
}

/** The page with the keys of stack config, and those of additional stores. */
async function configurationPage(path: string): Promise<[string, string]> {
    const [, document] = await withKeyTable(path, "configuration table", CONFIG_KEYS);
    const same = SAME_IN_ADDITIONAL_STORES.map((key) => `\`${key}\``).join(", ");
    const part = `${keyTable(ADDITIONAL_STORE_KEYS, path)}\n\nThese keys mean the same as those of the stack's own store, with the same defaults: ${same}.`;
    return [path, await withGeneratedPart(document, "table of the keys of additional stores", part)];
}

async function withKeyTable(
    path: string,
    name: string,
    keys: Parameters<typeof keyTable>[0],
): Promise<[string, string]> {
    return [path, await withGeneratedPart(read(path), name, keyTable(keys, path))];
}

function read(path: string): string {
    return readFileSync(join(PROJECT, path), "utf8");
}
