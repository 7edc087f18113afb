import type { Nodes, Parent } from "mdast";
import { toString } from "mdast-util-to-string";
import { readFileSync } from "node:fs";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { SKIP, visit } from "unist-util-visit";

/** What a reader reads of a document: its text, without blocks of code. */
export interface DocumentProse {
    /** Paragraphs, headings and items of lists. Code within text is one word. */
    texts: string[];
    /** Cells of tables, in the same form. */
    cells: string[];
}

function proseOf(markdown: string): DocumentProse {
    const prose: DocumentProse = { texts: [], cells: [] };
    visit(unified().use(remarkParse).use(remarkGfm).parse(markdown), (node: Nodes) => {
        if (node.type === "paragraph" || node.type === "heading") {
            prose.texts.push(textOf(node));
        } else if (node.type === "tableCell") {
            prose.cells.push(textOf(node));
            return SKIP;
        }
        return undefined;
    });
    return prose;
}

/** The text of a node, in which code within it is one word. */
function textOf(node: Nodes): string {
    if (node.type === "inlineCode") {
        return "code";
    }
    return "children" in node
        ? (node as Parent).children.map((child) => textOf(child)).join("")
        : toString(node).replaceAll("\n", " ");
}

// A separate program: Jest can't load ES modules on every version of Node.js that the project supports.
console.log(JSON.stringify(process.argv.slice(2).map((file) => proseOf(readFileSync(file, "utf8")))));
