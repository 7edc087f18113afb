import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** What the tags of an arg's docstring say about it, as text; {@link Declarations}. */
export interface ArgTags {
    /** The default: a number, true, false, a text in backticks, or a description. */
    default?: string;
    /** The least and the greatest value, as `1..64`. */
    range?: string;
    /** The least and the greatest number of characters, or of a list's items, as `8..40` or `8..`. */
    length?: string;
    /** The allowed words, joined by commas; of a list, those of its items. */
    oneOf?: string;
    /** Whether fractions are allowed, of a number. */
    fractions?: string;
    /** Whether it must not appear in a plain file, in state or in a message. */
    secret?: string;
    /** Whether stack config may name a file in place of its content. */
    file?: string;
    /** Whether only programs have it, and stack config doesn't. */
    program?: string;
    /** The table of docs/reference/configuration.md that has it. */
    group?: string;
}

/** An interface as its source declares it. */
interface Declaration {
    docstring?: string;
    bases: string[];
    tags: Map<string, ArgTags>;
}

const TAGS = ["default", "range", "length", "oneOf", "fractions", "secret", "file", "program", "group"] as const;

/** The docstrings of a folder's interfaces, and the tags of their properties, which Pulumi's analyzer omits. */
export class Declarations {
    private readonly byName = new Map<string, Declaration>();

    constructor(folder: string) {
        for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
            if (file.endsWith(".ts")) {
                const text = readFileSync(join(folder, file), "utf8");
                ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).forEachChild((node) => {
                    if (ts.isInterfaceDeclaration(node)) {
                        this.byName.set(node.name.text, declarationOf(node));
                    }
                });
            }
        }
    }

    docstringOf(type: string): string | undefined {
        return this.byName.get(type)?.docstring;
    }

    /** The tags of a property, of the type's own or of the type that it inherits it from. */
    tagsOf(type: string, property: string): ArgTags {
        return this.inherited(type, property) ?? {};
    }

    private inherited(type: string, property: string): ArgTags | undefined {
        const { tags, bases = [] } = this.byName.get(type) ?? {};
        return tags?.get(property) ?? bases.map((base) => this.inherited(base, property)).find(Boolean);
    }
}

function declarationOf(node: ts.InterfaceDeclaration): Declaration {
    const comment = ts.getJSDocCommentsAndTags(node)[0]?.comment;
    return {
        docstring: comment && ts.getTextOfJSDocComment(comment),
        bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.getText())),
        tags: new Map(node.members.flatMap((member) => (member.name ? [[member.name.getText(), tagsOf(member)]] : []))),
    };
}

/** @throws {Error} if the docstring of a property has another tag. */
function tagsOf(member: ts.TypeElement): ArgTags {
    const tags = ts.isPropertySignature(member) ? ts.getJSDocTags(member) : [];
    const entries = tags.map(({ tagName, comment }) => {
        const name = TAGS.find((known) => known === tagName.text);
        if (name === undefined) {
            throw new Error(`@${tagName.text} is no tag of a property: give one of ${TAGS.join(", ")}`);
        }
        return [name, (ts.getTextOfJSDocComment(comment) ?? "").replace(/\s+/g, " ").trim()] as const;
    });
    return Object.fromEntries(entries);
}
