import { execFileSync } from "node:child_process";
import { PROJECT } from "../../../tools/paths";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: PROJECT,
    encoding: "utf8",
}).split("\n");

/** A test has the path of its source; one over several sources is in the folder of one of them. Those of tests leave out `test/`. */
test("each unit test is where its source is", () => {
    const sources = files.filter((file) => !file.startsWith("test/unit/")).map((file) => file.replace(/^test\//, ""));
    const isInFolder = (test: string) => sources.some((source) => source.startsWith(test.replace(/[^/]*$/, "")));
    const isMirrored = (test: string) => (test.includes("/scripts/") ? sources.includes(test) : isInFolder(test));
    const tests = files.flatMap((file) => /^test\/unit\/(?!repository\/)(.*)\.test\.ts$/.exec(file)?.[1] ?? []);
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter((test) => !isMirrored(test))).toEqual([]);
});
