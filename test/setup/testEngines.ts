import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { DebianEngine, ENGINES, MODES } from "./debianEngine";
import { BUILT_IMAGES } from "../../tools/images/builtImages";
import { TEST_IMAGES_FILE, type TestImages } from "./testImages";
import { main, say, step, StepError } from "../../tools/cli/step";
import { run } from "../../tools/machine/run";

// npm run test:engines -- VERSION [--mode root|userns|rootless] [--project NAME] [--only PATTERN]: runs end-to-end tests on a
// Docker engine of another version, in a root folder and a network namespace of its own.
void main(async () => {
    const { positionals, values } = parseArgs({
        allowPositionals: true,
        options: {
            mode: { type: "string", default: "root" },
            project: { type: "string", multiple: true, default: ["e2e"] },
            only: { type: "string", default: "" },
        },
    });
    const [version = ""] = positionals;
    if (positionals.length !== 1 || !(version in ENGINES)) {
        throw new StepError(`"${positionals.join(" ")}" is no version: give one of ${Object.keys(ENGINES).join(", ")}`);
    }
    const mode = MODES.find((known) => known === values.mode);
    if (mode === undefined) {
        throw new StepError(`--mode "${values.mode}" is unknown: give one of ${MODES.join(", ")}`);
    }
    if (process.platform !== "linux" || process.getuid?.() !== 0) {
        throw new StepError("another engine needs a network namespace of its own: run this command as root on Linux");
    }
    await run("npm", ["run", "prepare-tests", "--", "--full"]);
    const name = mode === "root" ? `Docker ${version}` : `Docker ${version}, ${mode}`;
    const engine = await step(name, () => DebianEngine.start(version, mode));
    try {
        const { dockerHost, ...images } = JSON.parse(readFileSync(TEST_IMAGES_FILE, "utf8")) as TestImages;
        say(`copying the test images from ${dockerHost}`);
        await step("Images", () => engine.load([...Object.values(images), BUILT_IMAGES.mc.reference]));
        const projects = values.project.flatMap((name) => ["--selectProjects", name]);
        const pattern = values.only === "" ? [] : ["--testPathPatterns", values.only];
        const code = await engine.run(["npx", "jest", ...projects, ...pattern], process.env);
        say(`the tests ${code === 0 ? "passed" : "failed"} on ${name}`);
        return code;
    } finally {
        await engine.remove();
    }
});
