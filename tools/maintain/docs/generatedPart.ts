import { format, resolveConfig } from "prettier";

/**
 * Replaces the part of a document between two comments, and formats it as all documents are.
 *
 * @param name Name of the part in the comments around it.
 * @param command Command that writes it.
 */
export async function withGeneratedPart(
    document: string,
    name: string,
    part: string,
    command = "npm run docs",
): Promise<string> {
    const [begin, end] = [`<!-- ${name}: written by \`${command}\` -->`, `<!-- end of ${name} -->`];
    const [from, to] = [document.indexOf(begin), document.indexOf(end)];
    if (from === -1 || to < from) {
        throw new Error(`a document lacks the lines "${begin}" and "${end}"`);
    }
    const text = await format(part, { ...(await resolveConfig("part.md")), parser: "markdown" });
    return `${document.slice(0, from + begin.length)}\n\n${text}\n${document.slice(to)}`;
}
