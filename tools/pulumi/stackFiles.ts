import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isMap, parseDocument, type Document } from "yaml";
import { StepError } from "../machine/step";
import { writeWhole } from "../machine/wholeFiles";

/**
 * The project's stack files and the copies that the CLI works on. Beside each copy lies what it was copied from, so that
 * what the CLI has changed is known, whatever the user did to the file meanwhile.
 */
export class StackFiles {
    /**
     * @param project Folder with the user's stack files.
     * @param copies Folder that the CLI runs in.
     */
    constructor(
        private readonly project: string,
        private readonly copies: string,
    ) {}

    /** Does some work on copies of the stack files as they are now, and brings back what it changed in them. */
    async with<Result>(work: () => Promise<Result>): Promise<Result> {
        this.copyIn();
        try {
            return await work();
        } finally {
            this.copyBack();
        }
    }

    /**
     * Copies the stack files as they are now to where the CLI runs; a salt that one lacks is the copy's. What a command
     * that still runs, or was killed, has changed in a copy is brought back before.
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
     * Brings what the CLI has changed in the copies to the stack files. What the user has changed meanwhile stays. The salts
     * that the CLI notes stay in the copies.
     *
     * @throws {StepError} where both have changed one key: the user's value stays.
     */
    copyBack(): void {
        this.bringBack(stackFiles(this.copies));
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
    /** Keys that both sides have changed, and not to the same: they have the user's values. */
    conflicts: string[];
}

/**
 * Joins what the CLI and the user have made of one stack file.
 *
 * @param former What both began with.
 * @param copy What the CLI has made of it.
 * @param original What the user has made of it.
 * @param name Name of the file, for errors.
 * @throws {StepError} where the user's is no YAML, as while it is being written.
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

/** Takes one key from a document, or out where there is none. */
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

/** Values of a stack file by key: each one of `config`, and what else is at its top. */
type Values = Map<string, unknown>;

const CONFIG = "config";

/** What the CLI notes of a stack's encryption; none of it is secret. */
const SALT_KEYS = ["encryptionsalt", "encryptedkey", "secretsprovider"];

/** The values in a stack file, scalars as text: the CLI writes `true` as `"true"`. */
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

/** Keys of `config` have the name of their project or provider before them. */
function pathOf(key: string): string[] {
    return key.includes(":") ? [CONFIG, key] : [key];
}

const STACK_FILE = /^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$/;

/** Folder beside the copies with what they were copied from. */
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
