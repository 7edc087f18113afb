import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../../../tools/paths";
import { datedChangelog, unreleasedVersion } from "../../../../../tools/maintain/release/changelog";
import { packageManifest } from "../../../../../tools/maintain/release/packageManifest";
import { withFacts } from "../../../../../tools/maintain/release/repeatedFacts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: PROJECT,
    encoding: "utf8",
})
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(PROJECT, file)) && !file.endsWith(".png"));
const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const own = packageManifest(PROJECT);
const repository = "github:owner/name";

/** Places that name the package's own version. */
const placesOf = (version: string, file: string, text: string) => {
    const escaped = version.replaceAll(".", "\\.");
    const patterns = [
        `${own.name}-${escaped}\\.tgz`,
        `plugin@${escaped}`,
        `^export const VERSION: string = "${escaped}"`,
        ...(/^(plugin\/)?package(-lock)?\.json$/.test(file)
            ? [`(?<=^\\s*"name": "(pulumi-)?docker-object-store",\\n\\s*)"version": "${escaped}"`]
            : []),
    ];
    return patterns.flatMap((pattern) => [...text.matchAll(new RegExp(pattern, "gm"))]).length;
};

test("a raised version reaches every place that names it, and nothing else changes", () => {
    const raised = { ...own, version: "9.8.7-rc.1" };
    const named = files.filter((file) => file !== "package.json" && placesOf(own.version, file, read(file)) > 0);
    expect(named).toEqual(
        expect.arrayContaining([
            "components/naming/published.ts",
            "docs/start/pulumi.md",
            "examples/single-node/package.json",
            "package-lock.json",
            "plugin/package-lock.json",
            "plugin/package.json",
        ]),
    );
    for (const file of named) {
        const text = withFacts(file, read(file), raised);
        expect([file, placesOf(raised.version, file, text)]).toEqual([file, placesOf(own.version, file, read(file))]);
        expect([file, placesOf(own.version, file, text)]).toEqual([file, 0]);
        expect(withFacts(file, text, own)).toBe(read(file));
    }
});

test("the repository's address reaches the components and the documents", () => {
    const published = { ...own, repository };
    expect(withFacts("components/naming/published.ts", read("components/naming/published.ts"), published)).toContain(
        'REPOSITORY: string | undefined = "https://github.com/owner/name";',
    );
    expect(withFacts("docs/start/pulumi.md", read("docs/start/pulumi.md"), published)).toContain(
        `\npulumi package add github.com/owner/name.git/plugin@${own.version}\n`,
    );
});

test("the changelog's unreleased changes get version and date", () => {
    const changelog = "# Changelog\n\n## 0.2.0, unreleased\n\n- news\n\n## 0.1.0, 2026-11-01\n";
    expect(unreleasedVersion(changelog)).toBe("0.2.0");
    const dated = datedChangelog(changelog, "0.3.0", "2026-12-01");
    expect(dated).toBe("# Changelog\n\n## 0.3.0, 2026-12-01\n\n- news\n\n## 0.1.0, 2026-11-01\n");
    expect(unreleasedVersion(dated)).toBeUndefined();
});
