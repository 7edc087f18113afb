import { posix } from "node:path";
import { CONFIG_KEYS, type ConfigKey, type KeyDescription } from "../../../config/keys";
import { CONFIG_GROUPS } from "./configGroups";

/** Every key of stack config with its meaning, its default and an example, in groups, for a document at a path in the project. */
export function configKeyList(document: string): string {
    return CONFIG_GROUPS.map(({ title, examples }) => {
        const keys = Object.entries(examples).map(([key, example]) => {
            const { default: value, meaning } = CONFIG_KEYS[key as ConfigKey];
            return `### ${key}\n\n${sentences(document, meaning)} Default: ${value}.\n\n${exampleBlock(example)}`;
        });
        return `## ${title}\n\n${keys.join("\n\n")}`;
    }).join("\n\n");
}

/** A list of keys that have no page section of their own. */
export function keyList(keys: { readonly [key: string]: KeyDescription }, document: string): string {
    return Object.entries(keys)
        .map(([key, { default: value, meaning }]) => `- \`${key}\`: ${sentences(document, meaning)} Default: ${value}.`)
        .join("\n");
}

function exampleBlock(example: string): string {
    if (example.startsWith("--")) {
        return `\`\`\`sh\nnpm run pulumi -- config set ${example}\n\`\`\``;
    }
    return `\`\`\`yaml\n${example.startsWith("#") ? "" : "object-store:"}${example}\n\`\`\``;
}

/** A meaning as sentences: what a semicolon separates are sentences of their own. */
function sentences(document: string, meaning: string): string {
    return linkedFrom(document, meaning)
        .split("; ")
        .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`)
        .join(" ");
}

/** A text whose links are relative to the document's folder. */
function linkedFrom(document: string, text: string): string {
    return text.replaceAll(/\]\(([^):#]+)/g, (_, path: string) => `](${posix.relative(posix.dirname(document), path)}`);
}
