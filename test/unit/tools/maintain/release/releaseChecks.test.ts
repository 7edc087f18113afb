import { checkRelease, type ReleaseRequest } from "../../../../../tools/maintain/release/releaseChecks";

const request: ReleaseRequest = {
    version: undefined,
    current: "0.1.0",
    unreleased: "0.1.0",
    tags: [],
    branch: "main",
    changes: [],
    dryRun: false,
};

test("without a version, the release is that of the changelog's unreleased changes", () => {
    expect(checkRelease(request)).toEqual({ version: "0.1.0", problems: [] });
    expect(checkRelease({ ...request, unreleased: "0.2.0", tags: ["v0.1.0"] })).toEqual({
        version: "0.2.0",
        problems: [],
    });
});

test.each<[string, Partial<ReleaseRequest>, RegExp]>([
    ["changed files", { changes: ["README.md", "a.ts"] }, /has changes that no commit has: README\.md, a\.ts\. Commit/],
    ["another branch", { branch: "work" }, /the branch is work: a release is made from main/],
    ["no unreleased changes", { unreleased: undefined }, /CHANGELOG\.md has no unreleased changes/],
    ["no version", { version: "next" }, /the version "next" is not allowed: it has to be MAJOR\.MINOR\.PATCH/],
    ["a version with a v", { version: "v1.0.0" }, /the version "v1\.0\.0" is not allowed/],
    ["a lower version", { version: "0.0.9" }, /0\.0\.9 is lower than 0\.1\.0/],
    ["a released version", { tags: ["v0.1.0", "unrelated"] }, /0\.1\.0 is not higher than 0\.1\.0, the last release/],
    ["an older version", { current: "0.1.0", tags: ["v0.9.0", "v0.10.0"], version: "0.9.1" }, /higher than 0\.10\.0/],
])("%s: refused", (_, change, reason) => {
    const { problems } = checkRelease({ ...request, ...change });
    expect(problems).toEqual([expect.stringMatching(reason)]);
});

test("all problems are reported at once; a dry run works on any branch", () => {
    const wrong = { ...request, branch: "work", changes: ["a.ts"], version: "1" };
    expect(checkRelease(wrong).problems).toHaveLength(3);
    expect(checkRelease({ ...wrong, dryRun: true }).problems).toHaveLength(2);
});
