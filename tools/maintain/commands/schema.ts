import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { format, resolveConfig } from "prettier";
import { PROJECT } from "../../paths";
import { schemaOfComponents } from "../docs/schemaOfComponents";
import { main } from "../../cli/step";

const FILE = join(PROJECT, "plugin", "schema.json");

// npm run schema: generates the schema of the component package from the components' types and docstrings.
// npm run schema:check: checks that the existing schema is up to date.
void main(async () => {
    const options = await resolveConfig(FILE);
    const schema = await format(schemaOfComponents(), { ...options, parser: "json" });
    const name = relative(PROJECT, FILE);
    if (!process.argv.includes("--check")) {
        writeFileSync(FILE, schema);
        console.log(`wrote ${name}`);
        return 0;
    }
    if (existsSync(FILE) && readFileSync(FILE, "utf8") === schema) {
        return 0;
    }
    console.error(
        `${name} is not what components/ say: run npm run schema, and look at what changes for other languages`,
    );
    return 1;
});
