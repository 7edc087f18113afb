import { REPOSITORY, VERSION } from "./published";

/** Documents that messages refer to: their titles, by the name of the file in `docs/`. */
export const DOCUMENT_TITLES = {
    "how-to/migrate-to-rustfs": "Migrate from MinIO to RustFS in place",
    "how-to/restore": "Restore a store from a backup",
} as const;

/** A published version of the project. */
export interface Publication {
    /** Web address of the repository. */
    repository: string | undefined;
    /** Version of the package, whose tag has the documents. */
    version: string;
}

/**
 * How a message refers to a section of a document: by its address, or by both titles while the project has no public
 * repository. Users of the package don't have the file.
 */
export function documentReference(
    document: keyof typeof DOCUMENT_TITLES,
    section: string,
    { repository, version }: Publication = { repository: REPOSITORY, version: VERSION },
): string {
    return repository === undefined
        ? `document "${DOCUMENT_TITLES[document]}", section "${section}"`
        : `${repository}/blob/v${version}/docs/${document}.md#${anchorOf(section)}`;
}

/** The anchor of a heading of plain words. */
function anchorOf(section: string): string {
    return section
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-");
}
