import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../paths";
import { documentTitle, withDocumentLinks } from "../release/documentLinks";
import { packageManifest } from "../release/packageManifest";

const DIST = join(PROJECT, "dist");

// A step of npm run build: in the compiled docstrings, which editors show, paths of documents become their addresses or
// titles.
const manifest = packageManifest(PROJECT);
for (const file of readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"))) {
    const text = readFileSync(join(DIST, file), "utf8");
    writeFileSync(
        join(DIST, file),
        withDocumentLinks(text, manifest, (document) => documentTitle(PROJECT, document)),
    );
}
