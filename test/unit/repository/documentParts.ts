import GithubSlugger from "github-slugger";
import type { Nodes } from "mdast";
import { toString } from "mdast-util-to-string";
import { readFileSync } from "node:fs";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** The parts of a document that tests check. */
export interface DocumentParts {
    /** Targets of links and images. */
    links: string[];
    /** Anchors that links to a place in the document may use, as on GitHub. */
    anchors: string[];
    /** Code blocks. */
    blocks: { language: string; line: number; code: string }[];
    /** Code within text. */
    words: string[];
}

function partsOf(markdown: string): DocumentParts {
    const parts: DocumentParts = { links: [], anchors: [], blocks: [], words: [] };
    const slugger = new GithubSlugger();
    visit(unified().use(remarkParse).use(remarkGfm).parse(markdown), (node: Nodes) => {
        switch (node.type) {
            case "link":
            case "image":
            case "definition":
                parts.links.push(node.url);
                break;
            case "heading":
                parts.anchors.push(slugger.slug(toString(node)));
                break;
            case "html":
                parts.anchors.push(...[...node.value.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id));
                break;
            case "code":
                parts.blocks.push({
                    language: node.lang ?? "",
                    line: node.position?.start.line ?? 0,
                    code: node.value,
                });
                break;
            case "inlineCode":
                parts.words.push(node.value);
                break;
        }
    });
    return parts;
}

// A separate program: Jest can't load ES modules on every version of Node.js that the project supports.
console.log(JSON.stringify(process.argv.slice(2).map((file) => partsOf(readFileSync(file, "utf8")))));
