import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../paths";
import { packageManifest } from "../release/packageManifest";
import { FILES_WITH_FACTS, withFacts } from "../release/repeatedFacts";
import { COMMANDS } from "../../commands/all";
import { describedTypes } from "./argSchemas";
import { COMMAND_PAGE, commandHelp, commandTable } from "./commandPage";
import { componentPages, REFERENCE } from "./componentPages";
import { withGeneratedPart } from "./generatedPart";
import { additionalStoreKeys, certificateKeys, configKeyList, keyList } from "./keyList";
import { PROOF_PAGE, proofTables } from "./proofPage";
import { declared } from "./schemaOfComponents";

/** The page of stack config. */
const CONFIG_PAGE = `${REFERENCE}/configuration.md`;

/**
 * Every file that is generated from others, completely or in part: its path in the project, and its generated content.
 */
export async function generatedFiles(): Promise<Map<string, string>> {
    return new Map([
        [CONFIG_PAGE, await configurationPage()],
        ...(await componentPages()),
        [COMMAND_PAGE, await commandsPage()],
        [PROOF_PAGE, await withGeneratedPart(read(PROOF_PAGE), "tables of the promises", proofTables())],
        ...filesWithFacts(),
    ]);
}

async function commandsPage(): Promise<string> {
    const withTable = await withGeneratedPart(read(COMMAND_PAGE), "table of the commands", commandTable(COMMANDS));
    return withGeneratedPart(withTable, "help of the commands", commandHelp(COMMANDS));
}

/** Files that repeat keys of package.json. */
function filesWithFacts(): [string, string][] {
    const manifest = packageManifest(PROJECT);
    const examples = readdirSync(join(PROJECT, "examples")).map((example) => `examples/${example}/package.json`);
    return [...FILES_WITH_FACTS, ...examples]
        .filter((path) => existsSync(join(PROJECT, path)))
        .map((path) => [path, withFacts(path, read(path), manifest)]);
}

/** Pages of components that are no longer there. */
export function strayFiles(files: Map<string, string>): string[] {
    return readdirSync(join(PROJECT, REFERENCE))
        .filter((file) => /^[A-Z]/.test(file) && file !== "README.md")
        .map((file) => `${REFERENCE}/${file}`)
        .filter((file) => !files.has(file));
}

/** The page with the keys of stack config, those below `certificate`, and those of additional stores. */
async function configurationPage(): Promise<string> {
    const types = describedTypes(declared());
    const { different, same } = additionalStoreKeys(types);
    const links = same.map((key) => `- [\`${key}\`](#${key.toLowerCase()})`).join("\n");
    const parts = [
        ["configuration keys", configKeyList(types, CONFIG_PAGE)],
        ["keys below certificate", keyList(certificateKeys(types), CONFIG_PAGE)],
        [
            "keys of additional stores",
            `${keyList(different, CONFIG_PAGE)}\n\nThese mean the same as those of the stack's own store:\n\n${links}`,
        ],
    ] as const;
    let document = read(CONFIG_PAGE);
    for (const [name, part] of parts) {
        document = await withGeneratedPart(document, name, part);
    }
    return document;
}

function read(path: string): string {
    return readFileSync(join(PROJECT, path), "utf8");
}
