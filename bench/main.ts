import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import globalSetup from "../test/e2e/harness/globalSetup";
import { furtherImage, runPrefix, testImages } from "../test/e2e/harness/testRun";
import { main, say, step, StepError } from "../tools/cli/step";
import { prepareReleaseRustfs } from "./images";
import { describeMachine } from "./machine";
import { hasOurs, type BenchOptions } from "./measurement";
import { otherLoadOf } from "./otherLoad";
import { PARTS } from "./parts";
import { writeResults } from "./results";

const STORES = ["minio", "rustfs"] as const;

// npm run bench [-- --part NAME]... [--store minio|rustfs] [--release] [--rounds N] [--seconds N] [--only PATTERN] [--variant PATTERN]
//     [--congestion-control NAME]
void main(async () => {
    const { names, options: desired, release, otherArguments } = readArguments(process.argv.slice(2));
    const loadBefore = await step("Load of other programs", () => otherLoadOf());
    const wanted = desired.store === "rustfs" ? ["--", "--rustfs"] : [];
    execFileSync("npm", ["run", "--silent", "prepare-tests", ...wanted], { stdio: "inherit" });
    globalSetup();
    const { haproxy, minio } = testImages();
    const storeImage = release ? await step("RustFS as for a release", prepareReleaseRustfs) : undefined;
    const options = { ...desired, storeImage };
    const images = {
        HAProxy: haproxy,
        store: storeImage ?? (options.store === "minio" ? minio : furtherImage("rustfs")),
    };
    const date = new Date().toISOString().slice(0, 10);
    const incomplete: string[] = [];
    try {
        for (const [index, part] of names.entries()) {
            await step(`${part}: ${PARTS[part]?.description}`, async () => {
                const machine = await describeMachine(images, index === 0 ? loadBefore : await otherLoadOf());
                const result = await PARTS[part]?.measure(options);
                if (result !== undefined) {
                    const command = ["npm run bench --", `--part ${part}`, ...otherArguments].join(" ");
                    const store = options.store === "minio" ? [] : [options.store];
                    const file = [part, ...store, release ? "release" : [], options.congestionControl ?? []]
                        .flat()
                        .join("-");
                    say(`results: ${await writeResults(file, result, { command, date, machine })}`);
                    if (!hasOurs(result)) {
                        incomplete.push(part);
                    }
                }
            });
        }
    } finally {
        const left = await new DockerHost().removeEverythingOf(runPrefix());
        if (left.length > 0) {
            say(`removed what was left: ${left.join(", ")}`);
        }
    }
    if (incomplete.length > 0) {
        throw new StepError(
            `${incomplete.join(", ")}: ours could not be measured at every point; the lines that say "failed" have the reasons`,
        );
    }
    return 0;
});

/** The options. Reports all invalid arguments at once. */
function readArguments(args: string[]): {
    names: string[];
    options: BenchOptions;
    /** Whether to use a store that is optimised as for a release. */
    release: boolean;
    otherArguments: string[];
} {
    const { values } = parseArgs({
        args,
        options: {
            part: { type: "string", multiple: true },
            store: { type: "string", default: "minio" },
            release: { type: "boolean", default: false },
            rounds: { type: "string", default: "5" },
            seconds: { type: "string", default: "5" },
            only: { type: "string" },
            variant: { type: "string" },
            "congestion-control": { type: "string" },
        },
    });
    const store = STORES.find((known) => known === values.store);
    const isMeasured = (name: string) => store === "minio" || PARTS[name]?.onMinioAlone !== true;
    const names =
        values.part ?? Object.keys(PARTS).filter((name) => PARTS[name]?.onRequest !== true && isMeasured(name));
    const number = (key: "rounds" | "seconds", largest: number) => {
        const value = Number(values[key]);
        return Number.isInteger(value) && value >= 1 && value <= largest
            ? []
            : [`--${key} "${values[key]}" is not allowed: give a whole number from 1 to ${largest}`];
    };
    const congestionControl = values["congestion-control"];
    const problems = [
        ...names
            .filter((name) => !(name in PARTS))
            .map((name) => `--part "${name}" is not known: give one of ${Object.keys(PARTS).join(", ")}`),
        ...(store === undefined ? [`--store "${values.store}" is not known: give one of ${STORES.join(", ")}`] : []),
        ...names
            .filter((name) => !isMeasured(name))
            .map((name) => `--store "${values.store}" is not measured by the part ${name}: give minio`),
        ...(values.release && store === "minio"
            ? ["--release is for --store rustfs: MinIO is always built as for a release"]
            : []),
        ...number("rounds", 50),
        ...number("seconds", 60),
        ...(["only", "variant"] as const)
            .filter((key) => values[key] !== undefined && patternOf(values[key]) === undefined)
            .map((key) => `--${key} "${values[key]}" is no regular expression`),
        ...(congestionControl === undefined || /^[a-z0-9_]+$/.test(congestionControl)
            ? []
            : [`--congestion-control "${congestionControl}" is not allowed: give a name such as reno`]),
    ];
    if (problems.length > 0 || store === undefined) {
        throw new StepError(problems.join("\n"));
    }
    return {
        names,
        release: values.release,
        options: {
            rounds: Number(values.rounds),
            seconds: Number(values.seconds),
            store,
            only: values.only === undefined ? undefined : patternOf(values.only),
            variant: values.variant === undefined ? undefined : patternOf(values.variant),
            congestionControl,
        },
        otherArguments: withoutParts(args),
    };
}

function patternOf(text: string): RegExp | undefined {
    try {
        return new RegExp(text);
    } catch {
        return undefined;
    }
}

/** The arguments of this run, without the parts. */
function withoutParts(args: string[]): string[] {
    return args.filter((arg, index) => !arg.startsWith("--part") && args[index - 1] !== "--part").map(quoted);
}

function quoted(arg: string): string {
    return /^[\w=./-]+$/.test(arg) ? arg : `'${arg}'`;
}
