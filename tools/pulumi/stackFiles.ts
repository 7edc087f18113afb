import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isMap, parseDocument, type Document } from "yaml";
import { StepError } from "../cli/step";
import { writeWhole } from "../machine/wholeFiles";

/**
 * The project's stack files, and the copies that the CLI uses. The original of each copy is stored next to it, to find
 * the CLI's changes whatever the user has done to the file meanwhile.
 */
export class StackFiles {
    /**
     * @param project Folder with the user's stack files.
     * @param copies Folder in which the CLI runs.
     */
    constructor(
        private readonly project: string,
        private readonly copies: string,
    ) {}

    /** Runs an action on copies of the current stack files, and copies its changes back. */
    async with<Result>(work: () => Promise<Result>): Promise<Result> {
        this.copyIn();
        try {
            return await work();
        } finally {
            this.copyBack();
        }
    }

    /**
     * Copies the current stack files to where the CLI runs. If a file has no salt, the copy keeps its own. First copies
     * back the changes of a command that still runs or was killed.
     *
     * @throws {StepError} as {@link copyBack} does.
     */
    copyIn(): void {
        mkdirSync(join(this.copies, ORIGINALS), { recursive: true });
        this.bringBack(stackFiles(this.copies).filter((file) => existsSync(this.copiedFrom(file))));
        for (const file of new Set([...stackFiles(this.project), ...stackFiles(this.copies)])) {
            const copy = join(this.copies, file);
            const original = read(join(this.project, file));
            const salt = saltLines(original).length > 0 ? [] : saltLines(read(copy));
            const text = original === "" ? "" : original.replace(/\n?$/, "\n");
            writeWhole(copy, [text, ...salt].join(""));
            writeWhole(this.copiedFrom(file), original);
        }
    }

    /**
     * Applies the CLI's changes of the copies to the stack files. The user's changes stay. Salts that the CLI writes
     * stay in the copies.
     *
     * @throws {StepError} if both have changed the same key: the user's value stays.
     */
    copyBack(): void {
        this.bringBack(stackFiles(this.copies));
    }

    /** Removes a stack's file, with its copies. */
    forget(stack: string): void {
        const file = `Pulumi.${stack}.yaml`;
        for (const path of [join(this.project, file), join(this.copies, file), this.copiedFrom(file)]) {
            rmSync(path, { force: true });
        }
    }

    private bringBack(files: string[]): void {
        const refused = files.flatMap((file) => {
            const [path, copy] = [join(this.project, file), read(join(this.copies, file))];
            const [former, original] = [read(this.copiedFrom(file)), read(path)];
            if (isDeepStrictEqual(valuesOf(copy), valuesOf(former))) {
                return [];
            }
            const { text, conflicts } = merge(former, copy, original, file);
            if (text !== original) {
                writeWhole(path, text);
            }
            writeWhole(this.copiedFrom(file), copy);
            return conflicts.map((key) => `    ${file}: ${key}`);
        });
        if (refused.length > 0) {
            throw new StepError(
                "these were changed by the command and, while it ran, in the file too. The file is as you saved it:\n" +
                    `${refused.join("\n")}\nWhere the command's value is the right one, run it again.`,
            );
        }
    }

    private copiedFrom(file: string): string {
        return join(this.copies, ORIGINALS, file);
    }
}

/** A stack file with the CLI's changes. */
export interface MergedStackFile {
    text: string;
    /** Keys that both sides have changed to different values. They have the user's values. */
    conflicts: string[];
}

/**
 * Merges the CLI's and the user's changes of one stack file.
 *
 * @param former The common original.
 * @param copy The CLI's version.
 * @param original The user's version.
 * @param name Name of the file, for errors.
 * @throws {StepError} if the user's version isn't valid YAML, as while it is being written.
 */
export function merge(former: string, copy: string, original: string, name: string): MergedStackFile {
    if (withoutSalt(former) === withoutSalt(original)) {
        return { text: [withoutSalt(copy), ...saltLines(original)].join(""), conflicts: [] };
    }
    const document = parseDocument(original);
    if (document.errors.length > 0) {
        throw new StepError(
            `${name} can't be read, so that what the command changed in it isn't there yet: ` +
                `${document.errors[0]?.message}\nCorrect the file; the next command brings the change.`,
        );
    }
    const [before, after, theirs] = [former, copy, original].map(valuesOf) as [Values, Values, Values];
    const source = parseDocument(copy);
    const conflicts: string[] = [];
    let changed = false;
    for (const key of new Set([...before.keys(), ...after.keys()])) {
        const [was, is, user] = [before.get(key), after.get(key), theirs.get(key)];
        if (isDeepStrictEqual(was, is) || isDeepStrictEqual(user, is)) {
            continue;
        }
        if (!isDeepStrictEqual(user, was)) {
            conflicts.push(key);
        } else {
            change(document, key, is === undefined ? undefined : source);
            changed = true;
        }
    }
    return { text: changed ? document.toString({ lineWidth: 0 }) : original, conflicts };
}

/** Copies one key from a source document, or removes the key if there is no source. */
function change(document: Document, key: string, source: Document | undefined): void {
    const path = pathOf(key);
    if (source === undefined) {
        document.deleteIn(path);
        return;
    }
    if (path.length > 1 && !isMap(document.get(CONFIG))) {
        document.set(CONFIG, document.createNode({}));
    }
    document.setIn(path, source.getIn(path, true));
}

/** Values of a stack file by key: each entry of `config`, and the other top-level keys. */
type Values = Map<string, unknown>;

const CONFIG = "config";

/** What the CLI writes about a stack's encryption; none of it is secret. */
const SALT_KEYS = ["encryptionsalt", "encryptedkey", "secretsprovider"];

/** The values in a stack file, with scalars as text: the CLI writes `true` as `"true"`. */
function valuesOf(text: string): Values {
    const values = (parseDocument(text, { schema: "failsafe" }).toJS() ?? {}) as { [key: string]: unknown };
    const { [CONFIG]: config, ...others } = values;
    return new Map([
        ...Object.entries((config === "" ? undefined : config) ?? {}),
        ...Object.entries(others)
            .filter(([key]) => !SALT_KEYS.includes(key))
            .map(([key, value]): [string, unknown] => [key, value]),
    ]);
}

/** Keys of `config` are prefixed with the name of their project or provider. */
function pathOf(key: string): string[] {
    return key.includes(":") ? [CONFIG, key] : [key];
}

const STACK_FILE = /^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$/;

/** Folder next to the copies, with their originals. */
const ORIGINALS = "originals";

function stackFiles(folder: string): string[] {
    return readdirSync(folder).filter((file) => STACK_FILE.test(basename(file)));
}

const SALT_LINE = new RegExp(`^(${SALT_KEYS.join("|")}):.*\\n?`, "gm");

function withoutSalt(text: string): string {
    return text.replace(SALT_LINE, "");
}

function saltLines(text: string): string[] {
    return text.match(SALT_LINE) ?? [];
}

function read(file: string): string {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
}
