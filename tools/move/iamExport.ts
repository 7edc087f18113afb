import { inflateRawSync } from "node:zlib";

/** What the admin API of a store exports of its users: file in the archive → name → what is stored for it. */
export interface IamExport {
    [file: string]: { [name: string]: unknown };
}

/** Reads the ZIP archive of an export. */
export function readIamExport(archive: Buffer): IamExport {
    const entries = zipEntries(archive).flatMap(([name, content]): [string, { [name: string]: unknown }][] => {
        const [, file] = /([^/]+)\.json$/.exec(name) ?? [];
        const value: unknown = file === undefined ? undefined : JSON.parse(content.toString() || "{}");
        return file === undefined ? [] : [[file, (value ?? {}) as { [name: string]: unknown }]];
    });
    return Object.fromEntries(entries);
}

/** The files of a ZIP archive (PKWARE APPNOTE 4.3), which has one part, as its directory lists them. */
function zipEntries(archive: Buffer): [string, Buffer][] {
    const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
    if (end < 0) {
        throw new Error("the export of users is not a ZIP archive");
    }
    const entries: [string, Buffer][] = [];
    let index = archive.readUInt32LE(end + 16);
    for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
        const [method, size] = [archive.readUInt16LE(index + 10), archive.readUInt32LE(index + 20)];
        const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
            archive.readUInt16LE(index + offset),
        ) as [number, number, number];
        const local = archive.readUInt32LE(index + 42);
        const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
        const content = archive.subarray(begin, begin + size);
        const name = archive.toString("utf8", index + 46, index + 46 + nameLength);
        entries.push([name, method === 0 ? content : inflateRawSync(content)]);
        index += 46 + nameLength + extraLength + commentLength;
    }
    return entries;
}
