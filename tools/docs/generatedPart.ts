import { format, resolveConfig } from "prettier";

/**
 * A document with a part between two comments written again, formatted as all documents are.
 *
 * @param name What the part is called in the comments around it.
 */
export async function withGeneratedPart(document: string, name: string, part: string): Promise<string> {
    const [begin, end] = [`<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`];
    const [from, to] = [document.indexOf(begin), document.indexOf(end)];
    if (from === -1 || to < from) {
        throw new Error(`a document lacks the lines "${begin}" and "${end}"`);
    }
    const text = await format(part, { ...(await resolveConfig("part.md")), parser: "markdown" });
    return `${document.slice(0, from + begin.length)}\n\n${text}\n${document.slice(to)}`;
}
