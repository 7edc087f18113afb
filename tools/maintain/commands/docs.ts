import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT } from "../../paths";
import { generatedFiles, strayFiles } from "../docs/generatedFiles";

/** `npm run docs`: writes the generated parts of documents. With `--check`, reports what isn't up to date. */
async function main(): Promise<void> {
    const files = await generatedFiles();
    const changed = [...files].filter(([path, content]) => current(path) !== content).map(([path]) => path);
    const stray = strayFiles(files);
    if (!process.argv.includes("--check")) {
        changed.forEach((path) => {
            mkdirSync(dirname(join(PROJECT, path)), { recursive: true });
            writeFileSync(join(PROJECT, path), files.get(path) ?? "");
        });
        stray.forEach((path) => rmSync(join(PROJECT, path)));
    } else if (changed.length + stray.length > 0) {
        console.error(
            `these documents are not as their sources are now: ${[...changed, ...stray].join(", ")}. Run \`npm run docs\`, and commit what it writes`,
        );
        process.exitCode = 1;
    }
}

function current(path: string): string | undefined {
    return existsSync(join(PROJECT, path)) ? readFileSync(join(PROJECT, path), "utf8") : undefined;
}

main().catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
});
