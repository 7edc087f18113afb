import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ALLOWABLE_CHANGES } from "../../../components/requirements/clusterChanges";
import { DRIVE_WORDS } from "../../../components/requirements/driveWords";
import { EXAMPLES } from "../../../tools/maintain/docs/configGroups";
import { PROJECT } from "../../../tools/paths";
import { argAt } from "./argAt";
import type { DocumentProse } from "./documentProse";
import type { DocumentParts } from "./documentParts";

const run = (program: string, args: string[]) => execFileSync(program, args, { cwd: PROJECT, encoding: "utf8" });

const documents = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "docs", "*.md"])
    .split("\0")
    .filter((file) => /^(README|SECURITY)\.md$|^docs\/.*\.md$/.test(file) && existsSync(join(PROJECT, file)));
const parsedBy = <Parsed>(parser: string) =>
    JSON.parse(run(process.execPath, ["--import", "tsx", join(__dirname, parser), ...documents])) as Parsed[];
const prose = new Map(parsedBy<DocumentProse>("documentProse.ts").map((one, index) => [documents[index] ?? "", one]));
const parts = new Map(parsedBy<DocumentParts>("documentParts.ts").map((one, index) => [documents[index] ?? "", one]));
const proseOf = (document: string) => prose.get(document) as DocumentProse;

/** Pages for contributors: their evidence has dates, and tables that name tests. */
const isForContributors = (document: string) => document.startsWith("docs/contributing/");

/** Pages that are written from docstrings and from what `--help` prints. */
const isGenerated = (document: string) =>
    /^docs\/reference\/([A-Z]\w+|types|commands)\.md$/.test(document) && !document.endsWith("/README.md");

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const sentencesIn = (text: string) => text.split(/(?<=[.!?]["”)*]*)\s+(?=["“(*]?[\p{Lu}\p{N}])/u);

/** Most words of a page's text, without blocks of code. */
const LIMITS: [pattern: RegExp, words: number][] = [
    [/^README\.md$/, 600],
    [/^docs\/README\.md$/, 150],
    [/^docs\/start\//, 900],
    [/^docs\/how-to\//, 700],
    [/^docs\/explanation\//, 1200],
];

const readers = documents.filter((document) => !isForContributors(document));
const written = readers.filter((document) => !isGenerated(document));

test.each(LIMITS)("%s: at most %d words", (pattern, limit) => {
    const pages = documents.filter((document) => pattern.test(document));
    expect(pages).not.toEqual([]);
    const long = pages
        .map((document) => [document, [...proseOf(document).texts, ...proseOf(document).cells].map(wordsIn)] as const)
        .map(([document, counts]) => [document, counts.reduce((sum, count) => sum + count, 0)] as const)
        .filter(([, words]) => words > limit);
    expect(long).toEqual([]);
});

describe.each(written)("%s", (document) => {
    test("has no sentence of more than 30 words, and no chain of semicolons", () => {
        const sentences = proseOf(document).texts.flatMap(sentencesIn);
        expect(sentences.filter((one) => wordsIn(one) > 30 || one.split(";").length > 2)).toEqual([]);
    });

    test("has no cell of a table with more than 15 words", () => {
        expect(proseOf(document).cells.filter((cell) => wordsIn(cell) > 15)).toEqual([]);
    });
});

test.each(readers)("%s has no date", (document) => {
    const { texts, cells } = proseOf(document);
    expect([...texts, ...cells].filter((text) => /\b20\d\d-\d\d(-\d\d)?\b/.test(text))).toEqual([]);
});

test.each(documents.filter((document) => /^docs\/(start|how-to)\/(?!README)/.test(document)))(
    "%s says what you need, how to check, and how to undo",
    (document) => {
        const { anchors = [] } = parts.get(document) ?? {};
        expect(anchors).toContain("you-need");
        expect(anchors.filter((anchor) => /^check\b/.test(anchor))).not.toEqual([]);
        expect(anchors.filter((anchor) => /^undo\b/.test(anchor))).not.toEqual([]);
    },
);

test("each permission has a section about the changes that it allows", () => {
    const { anchors = [] } = parts.get("docs/troubleshooting/refused-changes.md") ?? {};
    const permissions = [...ALLOWABLE_CHANGES, ...DRIVE_WORDS].map((one) => one.toLowerCase());
    expect(anchors).toEqual(expect.arrayContaining(permissions));
});

test("each example of a key of stack config is one of a key that exists", () => {
    expect(Object.keys(EXAMPLES).filter((key) => argAt(key) === undefined)).toEqual([]);
    expect(Object.entries(EXAMPLES).filter(([key, example]) => !new RegExp(`\\b${key}\\b`).test(example))).toEqual([]);
});
