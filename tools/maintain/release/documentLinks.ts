import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageManifest } from "./packageManifest";
import { webAddress } from "./repository";

/** A document's path in a text; not the target of a Markdown link. */
const DOCUMENT = /(?<![\w/]|\]\()docs\/([\w/-]+)\.md(#[\w-]+)?/g;

/**
 * A docstring as users of the package read it: in place of a path in `docs/`, which they don't have, the document's
 * address, or its title while the repository has no address.
 *
 * @param titleOf Returns the title of a document by its name.
 */
export function withDocumentLinks(
    text: string,
    { version, repository }: PackageManifest,
    titleOf: (document: string) => string,
): string {
    const address = webAddress(repository);
    return text.replaceAll(DOCUMENT, (_, document: string, anchor: string | undefined) =>
        address === undefined
            ? `document "${titleOf(document)}"`
            : `${address}/blob/v${version}/docs/${document}.md${anchor ?? ""}`,
    );
}

/** Title of a document in a project's `docs/`. */
export function documentTitle(project: string, document: string): string {
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(project, "docs", `${document}.md`), "utf8")) ?? [];
    if (title === undefined) {
        throw new Error(`docs/${document}.md has no title`);
    }
    return title;
}
