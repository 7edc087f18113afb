import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../paths";

/** Folder of the schema's examples: one folder for each component and resource, with a program in each language. */
export const SCHEMA_EXAMPLES = join(PROJECT, "plugin", "examples");

/** Languages of the examples, as the generators of SDKs name them, with their files. */
export const EXAMPLE_FILES = {
    typescript: "index.ts",
    python: "__main__.py",
    go: "main.go",
    yaml: "Pulumi.yaml",
} as const;

/** A description with the example programs of a component. Each SDK gets the program in its own language. */
export function withExamples(description: string, component: string): string {
    const programs = Object.entries(EXAMPLE_FILES).map(([language, file]) => {
        const program = readFileSync(join(SCHEMA_EXAMPLES, component, file), "utf8").trimEnd();
        return `\`\`\`${language}\n${program}\n\`\`\``;
    });
    return `${description}\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${programs.join("\n\n")}\n\n{{% /example %}}\n{{% /examples %}}`;
}
