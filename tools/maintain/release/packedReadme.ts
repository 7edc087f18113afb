import type { PackageManifest } from "./packageManifest";
import { webAddress } from "./repository";

const RELATIVE_LINK = /(!?)(\[(?:[^\][]|\[[^\]]*\])*\]\()(?![a-z]+:|#)([^)]+)\)/g;

/** Links of a README to other files of the repository, which the package doesn't have. */
export function relativeLinks(readme: string): string[] {
    return [...readme.matchAll(RELATIVE_LINK)].map(([, , , path = ""]) => path);
}

/** The README with the addresses of these files, if the repository has one. */
export function packedReadme(readme: string, { version, repository }: PackageManifest): string {
    const address = webAddress(repository);
    return address === undefined
        ? readme
        : readme.replaceAll(
              RELATIVE_LINK,
              (_, image: string, text: string, path: string) =>
                  `${image}${text}${address}/${image === "" ? "blob" : "raw"}/v${version}/${path})`,
          );
}
