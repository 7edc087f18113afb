import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { aptInstall } from "../machine/debian";
import { CACHE, LOGS } from "../paths";
import { outputOf, run } from "../machine/run";
import { say, StepError } from "../cli/step";
import { draftOf, moveWhole } from "../machine/wholeFiles";

/** Oldest Rust that builds RustFS 1.0.1. */
const RUST_MINOR = 97;

/** How much time the compiler spends on RustFS's speed. */
interface RustfsBuild {
    /** What it is called in the cache. */
    suffix: string;
    /** What it takes on 2 cores. */
    needs: string;
    cargoArguments: string[];
}

/** For tests: RustFS's own crate isn't optimised, its dependencies are a little. */
const QUICK_BUILD: RustfsBuild = {
    suffix: "",
    needs: "20 minutes to an hour on 2 cores, 6 GB of memory and 10 GB of disk",
    cargoArguments: [
        "--debug",
        // An upload takes a third of the time, and the build a third more.
        ...["--config", 'profile.dev.package."*".opt-level=1'],
        ...["--config", "profile.dev.package.rustfs.opt-level=0"],
    ],
};

/** As cargo builds a release. */
const RELEASE_BUILD: RustfsBuild = {
    suffix: "-release",
    needs: "two to three hours on 2 cores and 10 GB of memory",
    cargoArguments: [],
};

/**
 * Builds RustFS from its crate, unless an earlier run has.
 *
 * @param release Whether it is optimised as in a release. Default: only its dependencies, and less.
 * @returns Path of the program.
 * @throws {StepError} with the remedy, if there is no Rust that builds it.
 */
export async function buildRustfs(version: string, { release = false } = {}): Promise<string> {
    const { suffix, needs, cargoArguments } = release ? RELEASE_BUILD : QUICK_BUILD;
    const folder = join(CACHE, `rustfs-${version}${suffix}`);
    const program = join(folder, "rustfs");
    if (existsSync(program)) {
        return program;
    }
    const toolchain = await newestRust();
    const tools = ["protoc", "flatc", "strip"];
    if ((await Promise.all(tools.map((tool) => outputOf(tool, ["--version"])))).includes(undefined)) {
        await aptInstall(["protobuf-compiler", "flatbuffers-compiler", "binutils"]);
    }
    const log = join(LOGS, "rustfs.log");
    say(
        `building RustFS ${version} from its crate with the Rust toolchain ${toolchain}: ${needs}. ` +
            "It can be interrupted: the next run goes on where this one ended.\n" +
            `All that cargo prints: ${log}`,
    );
    const env = {
        ...process.env,
        CARGO_TARGET_DIR: join(folder, "target"),
        CARGO_PROFILE_DEV_DEBUG: "0",
        CARGO_INCREMENTAL: "0",
    };
    let crates = 0;
    await run(
        "cargo",
        [
            `+${toolchain}`,
            ...["install", "rustfs", "--version", version, "--locked", "--no-default-features", "--bin", "rustfs"],
            ...["--ignore-rust-version", "--root", join(folder, "install"), ...cargoArguments],
        ],
        { env, log, describe: (line) => `${line.includes("Compiling") ? ++crates : crates} steps, now ${line.trim()}` },
    );
    await run("strip", ["-o", draftOf(program), join(folder, "install", "bin", "rustfs")]);
    moveWhole(draftOf(program), program);
    rmSync(join(folder, "target"), { recursive: true, force: true });
    rmSync(join(folder, "install"), { recursive: true, force: true });
    say(`kept ${program} (${Math.round(statSync(program).size / 1024 / 1024)} MiB) for later runs`);
    return program;
}

/** The name of an installed Rust toolchain that is new enough; the default one is preferred. */
async function newestRust(): Promise<string> {
    const listed = (await outputOf("rustup", ["toolchain", "list"])) ?? "";
    const lines = listed.split("\n").filter((line) => line !== "");
    lines.sort((one, other) => Number(other.includes("default")) - Number(one.includes("default")));
    for (const name of lines.map((line) => line.split(" ")[0] ?? "")) {
        const version = (await outputOf("rustc", [`+${name}`, "--version"])) ?? "";
        if (Number(/^rustc 1\.(\d+)/.exec(version)?.[1] ?? 0) >= RUST_MINOR) {
            return name;
        }
    }
    throw new StepError(
        `RustFS can't be built: no Rust toolchain of rustup's is 1.${RUST_MINOR} or newer (found ${lines.join(", ") || "none"}). ` +
            "Either let the Docker daemon reach a registry, or install one by `rustup toolchain install stable`; then run this " +
            "command again. `npm run up` without --store takes MinIO, which needs Go alone.",
    );
}
