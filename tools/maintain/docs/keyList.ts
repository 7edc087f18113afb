import { posix } from "node:path";
import type { DescribedArg, DescribedType } from "./argSchemas";
import { EXAMPLES, GROUPS } from "./configGroups";

/** Types by name. */
export interface Types {
    [type: string]: DescribedType;
}

/** Every key of stack config with its meaning, its default and an example, in groups, for a document at a path in the project. */
export function configKeyList(types: Types, document: string): string {
    const keys = configurable(types, "ObjectStoreArgs");
    const ungrouped = keys.filter(([, { group = "" }]) => GROUPS[group] === undefined).map(([key]) => key);
    if (ungrouped.length > 0) {
        throw new Error(
            `these args have no @group, or none of ${Object.keys(GROUPS).join(", ")}: ${ungrouped.join(", ")}`,
        );
    }
    return Object.entries(GROUPS)
        .map(([group, title]) => {
            const sections = keys
                .filter(([, arg]) => arg.group === group)
                .map(([key, arg]) => [`### ${key}`, sentences(arg, document), ...exampleOf(key)].join("\n\n"));
            return `## ${title}\n\n${sections.join("\n\n")}`;
        })
        .join("\n\n");
}

/** A list of keys that have no section of their own on the page. */
export function keyList(keys: readonly [string, DescribedArg][], document: string): string {
    return keys.map(([key, arg]) => `- \`${key}\`: ${sentences(arg, document)}`).join("\n");
}

/** The keys below `certificate`: those of a certificate of one's own, and those of ACME. */
export function certificateKeys(types: Types): [string, DescribedArg][] {
    const below = (type: string, path: string): [string, DescribedArg][] =>
        configurable(types, type).flatMap(([name, arg]) =>
            arg.ref === undefined ? [[`${path}${name}`, arg]] : below(arg.ref, `${path}${name}.`),
        );
    return below("CertificateArgs", "");
}

/** The keys of additional stores: those that differ from the keys of the stack's own store, and the others. */
export function additionalStoreKeys(types: Types): { different: [string, DescribedArg][]; same: string[] } {
    const own = new Map(configurable(types, "ObjectStoreArgs"));
    const keys = configurable(types, "AdditionalStoreArgs");
    const isSame = ([key, { defaultText }]: [string, DescribedArg]) =>
        defaultText !== undefined && own.get(key)?.defaultText === defaultText;
    return { different: keys.filter((key) => !isSame(key)), same: keys.filter(isSame).map(([key]) => key) };
}

/** The args of a type that stack config has. */
function configurable(types: Types, type: string): [string, DescribedArg][] {
    return Object.entries(types[type]?.properties ?? {}).filter(([, { program }]) => program !== true);
}

/** The first sentence of a docstring, what is allowed, and the default. */
function sentences({ description, allowed, defaultText, file }: DescribedArg, document: string): string {
    const [first = ""] = /^(?:`[^`]*`|\([^)]*\)|[^`(])*?\.(?= [A-Z`]|$)/.exec(description) ?? [description];
    return [
        linkedFrom(document, first),
        allowed,
        ...(file === true ? ["In its place, `{file: PATH}` names a file."] : []),
        defaultText === undefined ? "Required." : `Default: ${defaultText}.`,
    ]
        .filter(Boolean)
        .join(" ");
}

function exampleOf(key: string): string[] {
    const example = EXAMPLES[key];
    if (example === undefined) {
        return [];
    }
    return example.startsWith("--")
        ? [`\`\`\`sh\nnpm run pulumi -- config set ${example}\n\`\`\``]
        : [`\`\`\`yaml\nobject-store:${example}\n\`\`\``];
}

/** A text with links to the documents that it names, relative to the folder of its own document. */
function linkedFrom(document: string, text: string): string {
    return text.replaceAll(/\(docs\/([\w/-]+\.md)(#[\w-]+)?\)/g, (_, path: string, anchor = "") => {
        const target = `docs/${path}` === document ? "" : posix.relative(posix.dirname(document), `docs/${path}`);
        return `([${posix.basename(path)}](${target}${anchor}))`;
    });
}
