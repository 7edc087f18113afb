import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { PROJECT } from "../../paths";
import { argSchemas, describedTypes } from "../docs/argSchemas";
import { declared, packageSchema } from "../docs/schemaOfComponents";
import { stackSchema } from "../docs/stackSchema";
import { main } from "../../cli/step";

// npm run schema: generates the schemas of the component package, of the args and of stack config from the args' types,
// docstrings and tags.
// npm run schema:check: checks that the existing ones are up to date.
void main(async () => {
    const source = declared();
    const types = describedTypes(source);
    const files = {
        "components/args/argSchemas.json": argSchemas(types),
        "plugin/schema.json": packageSchema(source),
        "Pulumi.schema.json": stackSchema(types),
    };
    let code = 0;
    for (const [name, content] of Object.entries(files)) {
        const file = join(PROJECT, name);
        const schema = await format(content, { ...(await resolveConfig(file)), parser: "json" });
        if (existsSync(file) && readFileSync(file, "utf8") === schema) {
            continue;
        }
        if (process.argv.includes("--check")) {
            console.error(`${name} is not what the args say: run npm run generate, and look at what changes`);
            code = 1;
        } else {
            writeFileSync(file, schema);
            console.log(`wrote ${name}`);
        }
    }
    return code;
});
