import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { PROJECT } from "../../../tools/paths";
import { summary } from "../../../tools/up/summary";
import type { DocumentParts } from "./documentParts";
import { compile } from "./documentPrograms";
import { argAt } from "./argAt";
import { shownSecrets } from "./secretCommands";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const run = (program: string, args: string[]) => execFileSync(program, args, { cwd: PROJECT, encoding: "utf8" });

/** Every file of the project, including files that aren't committed yet. */
const files = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(PROJECT, file)));
const documents = files.filter((file) => file.endsWith(".md") && !file.startsWith("api/"));
const parser = join(__dirname, "documentParts.ts");
const found = JSON.parse(run(process.execPath, ["--import", "tsx", parser, ...documents])) as DocumentParts[];
const parts = new Map(documents.map((file, index) => [file, found[index] as DocumentParts]));
const partsOf = (document: string) => parts.get(document) as DocumentParts;

test("no ignored file is in the repository", () => {
    expect(run("git", ["ls-files", "-ci", "--exclude-standard"])).toBe("");
});

/** Code of a document: blocks and inline code. */
const codeOf = (document: string) => [...partsOf(document).blocks.map(({ code }) => code), ...partsOf(document).words];

/** Words to avoid. Write desired, check, report, create again, correct, CA instead. HTTP/2's `:authority` is allowed. */
const FOREIGN =
    /(?<!:)\b(wish(es|ed)?|judg(e|es|ed|ing)|told|tells?|anew|mend(s|ed)?|authorit(y|ies)|leads? nowhere)\b/gi;

test("code, messages and documents use the words of the field", () => {
    const texts = files.filter(
        (file) =>
            /\.(ts|js|mjs|md|sh|pl|lua|ya?ml|dot)$/.test(file) &&
            !file.startsWith("node_modules/") &&
            // This file lists the words.
            file !== "test/unit/repository/documents.test.ts",
    );
    expect(texts.length).toBeGreaterThan(150);
    const foreign = texts.flatMap((file) =>
        read(file)
            .split("\n")
            .flatMap((line, index) => (line.match(FOREIGN) ?? []).map((word) => `${file}:${index + 1}: ${word}`)),
    );
    expect(foreign).toEqual([]);
});

describe.each(documents)("%s", (document) => {
    test("links only to existing files and anchors", () => {
        const broken = partsOf(document).links.filter((link) => {
            const [path = "", anchor] = decodeURI(link).split("#");
            if (/^[a-z]+:/.test(link)) {
                return false;
            }
            const target = path === "" ? document : posix.join(dirname(document), path).replace(/\/$/, "");
            const known = files.includes(target) || files.some((file) => file.startsWith(`${target}/`));
            return !known || (anchor !== undefined && !(parts.get(target)?.anchors.includes(anchor) ?? false));
        });
        expect(broken).toEqual([]);
    });

    test("has tables whose rows have as many cells as their heads", () => {
        const rows = read(document)
            .replace(/^```[^]*?^```/gm, "")
            .split("\n")
            .map((line) => (line.startsWith("|") ? line.replaceAll("\\|", "").split("|").length : 0));
        const broken = rows.filter(
            (cells, index) => cells > 0 && (rows[index - 1] ?? 0) > 0 && cells !== rows[index - 1],
        );
        expect(broken).toEqual([]);
    });

    test("names only existing npm scripts", () => {
        const { scripts } = JSON.parse(read("package.json")) as { scripts: { [name: string]: string } };
        const named = codeOf(document).flatMap((code) =>
            [...code.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(([, name = ""]) => name),
        );
        expect(named.filter((name) => !(name in scripts))).toEqual([]);
    });

    test("names only existing files of the project", () => {
        const named = partsOf(document).words.filter(isPath);
        expect(named.filter((path) => !isThere(path, document))).toEqual([]);
    });

    test("names only existing keys of stack config", () => {
        // Examples have their own keys, which test/e2e/examples.test.ts sets.
        const keys = document.startsWith("examples/") ? [] : namedKeys(document);
        expect(keys.filter((key) => !isConfigKey(key))).toEqual([]);
    });

    test("has no command that shows a secret to `ps`, a shell's history or a log", () => {
        const shell = partsOf(document)
            .blocks.filter(({ language }) => ["sh", "bash"].includes(language))
            .map(({ code }) => code);
        expect([...shell, ...partsOf(document).words].flatMap(shownSecrets)).toEqual([]);
    });

    test("has shell commands with valid syntax", () => {
        const unreadable = partsOf(document)
            .blocks.filter(({ language }) => ["sh", "bash"].includes(language))
            .map(({ line, code }) => [line, spawnSync("bash", ["-n"], { input: code, encoding: "utf8" }).stderr])
            .filter(([, complaint]) => complaint !== "");
        expect(unreadable).toEqual([]);
    });
});

test("code names only documents and sections that exist", () => {
    const sources = files.filter(
        (file) =>
            /\.(ts|js|mjs|sh|pl|lua|ya?ml)$/.test(file) &&
            // Unit tests have examples, and this file names a document of another project.
            !file.startsWith("test/unit/") &&
            file !== "components/store/knownVulnerabilities.ts",
    );
    const named = sources.flatMap((file) => [
        ...[...read(file).matchAll(/(?<![\w/.-])docs\/([\w/-]+)\.md(?:#([\w-]+))?/g)],
        ...[...read(file).matchAll(/documentReference\("([\w/-]+)", "([^"]+)"/g)],
    ]);
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(([, document = "", section]) => {
        const anchor = section?.toLowerCase().replaceAll(" ", "-");
        const anchors = parts.get(`docs/${document}.md`)?.anchors;
        return anchors === undefined || (anchor !== undefined && !anchors.includes(anchor));
    });
    expect(missing.map(([text]) => text)).toEqual([]);
});

test.each([
    ["pulumi config set --secret secretKey", false],
    ["cat chain.pem key.pem | pulumi config set --path --secret certificate.pem", false],
    ["npm run pulumi -- config set --secret accessKey < key", false],
    ["npm run pulumi -- config set --secret secretKey NEW_SECRET", true],
    ["pulumi config set secretKey NEW_SECRET", true],
    ["pulumi config set --path --secret 'secretEnvironment.A' b", true],
    ["pulumi config set logLevel info", false],
    ['curl --fail \\\n  --user "$KEY:$SECRET" https://s3.localhost', true],
    ["curl --config - https://s3.localhost", false],
    [
        'curl --user "$(pulumi stack output accessKey --show-secrets):$(pulumi stack output secretKey --show-secrets)" URL',
        true,
    ],
    ["curl -su $(pulumi stack output accessKey --show-secrets) URL", true],
    ["curl --user='KEY:SECRET' URL", true],
    ['curl --header "Authorization: Bearer $token" URL', true],
    ['client "$(pulumi stack output --show-secrets secretKey)"', true],
    ["client `pulumi stack output secretKey --show-secrets`", true],
    ['printf "user = %s" "$(pulumi stack output secretKey --show-secrets)" | curl --config - URL', false],
    ["pulumi stack output --json --show-secrets | client", false],
    ['docker run --user "$(id -u):$(id -g)" clients', false],
    ["mc alias set store https://s3.localhost KEY SECRET", true],
    ["mc alias set store https://s3.localhost", false],
    ["docker run -e AWS_SECRET_ACCESS_KEY=abc clients", true],
    ["AWS_SECRET_ACCESS_KEY=abc aws s3 ls", true],
    ["export AWS_SECRET_ACCESS_KEY=$(pulumi stack output secretKey --show-secrets)", false],
    [`admin PUT /add-user '{"secretKey":"abc"}'`, true],
    [`printf '{"secretKey":"%s"}' "$secret" | admin PUT /add-user`, false],
    ["aws configure set aws_secret_access_key abc", true],
])("%s: shows a secret: %s", (command, shows) => {
    expect(shownSecrets(command).length > 0).toBe(shows);
});

test("the command that `npm run up` ends with shows no secret", () => {
    const outputs = {
        s3Endpoint: "https://s3.localhost",
        consoleUrl: "https://console.localhost",
        caCertificate: "ca",
        certificateNotAfter: "2030-01-01T00:00:00Z",
    };
    expect(shownSecrets(summary(outputs, "ca.pem", { names: [], resolve: true }, true))).toEqual([]);
});

test("programs in documents compile against the package", () => {
    const programs = documents.flatMap((document) =>
        partsOf(document)
            .blocks.filter(({ language }) => ["ts", "typescript"].includes(language))
            .map(({ line, code }): [string, string] => [`${document}, line ${line}`, code]),
    );
    expect(programs).not.toEqual([]);
    expect(compile(new Map(programs))).toEqual([]);
}, 60_000);

test.each([
    ["Pulumi.offline.yaml", BUILT_IMAGES.minio],
    ["Pulumi.offline-rustfs.yaml", BUILT_IMAGES.rustfs],
])("%s names the images that npm run up builds", (file, { reference }) => {
    const { config } = parse(read(file)) as { config: { [key: string]: unknown } };
    expect(config["object-store:image"]).toBe(reference);
    expect(config["object-store:haproxyImage"]).toBe(BUILT_IMAGES.haproxy.reference);
});

/**
 * Whether code is the name of a file or folder of the project: a path below one of its folders, or a name with the
 * extension of a source.
 */
function isPath(code: string): boolean {
    const [first = "", ...rest] = code.split("/");
    const own = rest.length > 0 && first !== "" && files.some((file) => file.startsWith(`${first}/`));
    return /^[\w.*/-]+$/.test(code) && (own || /^[\w*/-]+(\.test)?\.(ts|md|py|dot|svg)$/.test(code));
}

/** Whether such a file exists: by its path in the project or from the document, or by its name alone. */
function isThere(path: string, document: string): boolean {
    const name = path.replace(/\/$/, "");
    const places = [name, posix.join(dirname(document), name)].map((place) => patternOf(place, "(/|$)"));
    return files.some(
        (file) =>
            places.some((place) => place.test(file)) || (!path.includes("/") && patternOf(name).test(basename(file))),
    );
}

/** A pattern for a path, in which `*` stands for any part of a name. */
function patternOf(path: string, end = "$"): RegExp {
    return new RegExp(`^${path.replaceAll(/[.+?^$()[\]{}|\\]/g, "\\$&").replaceAll("*", "[^/]*")}${end}`);
}

/** Keys that commands set or remove, and keys of stack files. */
function namedKeys(document: string): string[] {
    const commands = codeOf(document).flatMap((code) =>
        [...code.matchAll(/config (?:set|rm|get)((?: --[a-z]+)*) ['"]?([\w:.[\]$-]+)/g)].map(([, , key = ""]) => key),
    );
    const stackFiles = partsOf(document)
        .blocks.filter(({ language }) => language === "yaml")
        .flatMap(({ code }) => parseAllDocuments(code).map((yaml) => yaml.toJS() as unknown))
        .flatMap((yaml) => Object.keys((yaml as { config?: object } | null)?.config ?? {}));
    return [...commands, ...stackFiles.filter((key) => key.startsWith("object-store:"))];
}

function isConfigKey(path: string): boolean {
    return path.startsWith("docker:") || argAt(path) !== undefined;
}
