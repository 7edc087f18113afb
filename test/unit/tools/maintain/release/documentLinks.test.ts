import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT_TITLES, documentReference } from "../../../../../components/naming/documentation";
import { PROJECT } from "../../../../../tools/paths";
import { documentTitle, withDocumentLinks } from "../../../../../tools/maintain/release/documentLinks";
import { packageManifest } from "../../../../../tools/maintain/release/packageManifest";
import { packedReadme, relativeLinks } from "../../../../../tools/maintain/release/packedReadme";

const unpublished = { ...packageManifest(PROJECT), version: "1.2.3", repository: undefined };
const published = { ...unpublished, repository: "github:owner/name" };
const address = "https://github.com/owner/name/blob/v1.2.3";

test("messages refer to a document by its titles, or by its address once the repository has one", () => {
    const version = "1.2.3";
    expect(documentReference("how-to/restore", "Steps", { repository: undefined, version })).toBe(
        'document "Restore a store from a backup", section "Steps"',
    );
    expect(documentReference("how-to/restore", "Steps", { repository: "https://github.com/owner/name", version })).toBe(
        `${address}/docs/how-to/restore.md#steps`,
    );
});

test.each(Object.entries(DOCUMENT_TITLES))("the document %s is called %s", (document, title) => {
    expect(documentTitle(PROJECT, document)).toBe(title);
});

test("docstrings refer to documents in the same way", () => {
    const text =
        "As in docs/start/several-hosts.md, [here](docs/start/several-hosts.md) and (docs/start/several-hosts.md#steps).";
    const titleOf = (document: string) => documentTitle(PROJECT, document);
    expect(withDocumentLinks(text, unpublished, titleOf)).toBe(
        'As in document "Several hosts", [here](docs/start/several-hosts.md) and (document "Several hosts").',
    );
    expect(withDocumentLinks(text, published, titleOf)).toBe(
        `As in ${address}/docs/start/several-hosts.md, [here](docs/start/several-hosts.md) and (${address}/docs/start/several-hosts.md#steps).`,
    );
});

test("the schema and the components' messages name no path of a document", () => {
    const schema = readFileSync(join(PROJECT, "plugin", "schema.json"), "utf8");
    expect(schema).not.toMatch(/(?<!\/v[\d.]+\/)docs\/[\w/-]+\.md/);
});

test("the packed README has the repository's addresses in place of relative links", () => {
    const readme =
        "![a picture](docs/images/a.svg) [text](docs/a.md#b), [`code`](c) [web](https://example.com) [x](#y)";
    expect(relativeLinks(readme)).toEqual(["docs/images/a.svg", "docs/a.md#b", "c"]);
    expect(packedReadme(readme, unpublished)).toBe(readme);
    expect(packedReadme(readme, published)).toBe(
        `![a picture](${address.replace("blob", "raw")}/docs/images/a.svg) [text](${address}/docs/a.md#b), ` +
            `[\`code\`](${address}/c) [web](https://example.com) [x](#y)`,
    );
    const own = readFileSync(join(PROJECT, "README.md"), "utf8");
    expect(relativeLinks(own).length).toBeGreaterThan(10);
    expect(relativeLinks(packedReadme(own, published))).toEqual([]);
});
