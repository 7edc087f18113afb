import Docker from "dockerode";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { aptInstall } from "../machine/debian";
import { DEBIAN_OPTIONS, findOrInstallMmdebstrap } from "./debianRoot";
import { GO_BUILD_FLAGS, goBuildEnvironment } from "../pulumi/goBuild";
import { CACHE, LOGS, PROJECT } from "../paths";
import { outputOf, run } from "../machine/run";
import { progress, say, StepError } from "../machine/step";

/** An image that is built from packages if no registry answers. */
export interface BuiltImage {
    /** Its own name: it isn't the image that a registry has under the official name. */
    reference: string;
    /** Folder below tools/images that contains its Dockerfile. */
    folder: string;
    /** Debian packages in it. */
    packages: string[];
    /** Where they come from. Default: the release with HAProxy 3.2. */
    debian?: DebianArchive;
    /** Builds the program for which there is no Debian package, and returns its file. */
    program?: () => Promise<string>;
    /** Whether it is a store without console pages. Default: false. */
    lacksConsole?: boolean;
}

/** Debian release with HAProxy 3.2. */
const DEBIAN_RELEASE = "forky";

/** A release of Debian, and lines of sources.list in place of the usual ones. */
export interface DebianArchive {
    release: string;
    sources: string[];
}

const MINIO_MODULE = "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c";
const MC_MODULE = "github.com/minio/mc@v0.0.0-20250313080218-cf909e1063a9";
const RUSTFS_VERSION = "1.0.1";
const RCLONE_VERSION = "1.76.0";

/** The official image of rclone. */
export const RCLONE_IMAGE = `rclone/rclone:${RCLONE_VERSION}`;

/** The release before it, from which tests update to it. */
const EARLIER_RUSTFS_VERSION = "1.0.0";

/** Oldest Rust that builds RustFS 1.0.1. */
const RUST_MINOR = 97;

/** Packages that every image needs: users, a shell, and its tools. */
export const BASE_PACKAGES = ["base-files", "base-passwd", "dash", "coreutils"];

/** Packages that every store image also needs: certificates, and the program of the health check. */
export const STORE_PACKAGES = [...BASE_PACKAGES, "ca-certificates", "curl"];

/** The images in `Pulumi.offline.yaml` and `Pulumi.offline-rustfs.yaml`, and the ACME client's image. */
export const BUILT_IMAGES = {
    haproxy: {
        reference: `pulumi-docker-object-store/haproxy:3.2-${DEBIAN_RELEASE}-2`,
        folder: "haproxy",
        packages: [...BASE_PACKAGES, "openssl", "perl-base", "haproxy"],
    },
    keepalived: {
        reference: `pulumi-docker-object-store/keepalived:2.3-${DEBIAN_RELEASE}-1`,
        folder: "keepalived",
        packages: [...BASE_PACKAGES, "perl-base", "iproute2", "nftables", "keepalived"],
    },
    lego: {
        reference: "pulumi-docker-object-store/lego:4.35.2",
        folder: "lego",
        packages: [...BASE_PACKAGES, "ca-certificates", "wget", "libc-bin", "lego"],
    },
    minio: {
        reference: "pulumi-docker-object-store/minio:20260212",
        folder: "minio",
        packages: STORE_PACKAGES,
        program: () => buildGoProgram("MinIO", "minio", MINIO_MODULE, "4 minutes", ["-tags", "kqueue"]),
    },
    mc: {
        reference: "pulumi-docker-object-store/mc:20250313",
        folder: "mc",
        packages: BASE_PACKAGES,
        program: () => buildGoProgram("MinIO's client", "mc", MC_MODULE, "30 s"),
    },
    rclone: {
        reference: `pulumi-docker-object-store/rclone:${RCLONE_VERSION}`,
        folder: "rclone",
        packages: BASE_PACKAGES,
        program: () => buildGoProgram("rclone", "rclone", `github.com/rclone/rclone@v${RCLONE_VERSION}`, "2 minutes"),
    },
    rustfs: rustfsImage(RUSTFS_VERSION),
    earlierRustfs: rustfsImage(EARLIER_RUSTFS_VERSION),
} satisfies { [name: string]: BuiltImage };

function rustfsImage(version: string): BuiltImage {
    return {
        reference: `pulumi-docker-object-store/rustfs:${version}`,
        folder: "rustfs",
        packages: STORE_PACKAGES,
        program: () => buildRustfs(version),
        // The crate doesn't contain the console pages.
        lacksConsole: true,
    };
}

/** Whether an image is a built image of a store without a console. */
export function lacksConsole(reference: string | undefined): boolean {
    return Object.values<BuiltImage>(BUILT_IMAGES).some(
        (image) => image.reference === reference && image.lacksConsole === true,
    );
}

/** Seconds after which a registry's response must have started. */
const REGISTRY_SECONDS = 20;

/** Whether the engine has an image. */
export async function hasImage(docker: Docker, reference: string): Promise<boolean> {
    return docker
        .getImage(reference)
        .inspect()
        .then(
            () => true,
            () => false,
        );
}

/** Makes the engine pull a missing image. Returns whether the engine has it afterwards. */
export async function pullImage(docker: Docker, reference: string): Promise<boolean> {
    if (await hasImage(docker, reference)) {
        say(`found the image ${reference}`);
        return true;
    }
    say(`pulling ${reference}, giving up after ${REGISTRY_SECONDS} s without an answer`);
    const abort = new AbortController();
    const limit = setTimeout(() => abort.abort(), REGISTRY_SECONDS * 1000);
    try {
        const stream = await docker.pull(reference, { abortSignal: abort.signal });
        await follow(docker, stream, ({ id, status, progress: bar }) => {
            clearTimeout(limit);
            progress([id, status, bar].join(" "));
        });
        return true;
    } catch (error) {
        say(`no registry gave it (${(error as Error).message.split("\n")[0]})`);
        return false;
    } finally {
        clearTimeout(limit);
    }
}

/** Copies images from one engine to another, where that one doesn't have them. */
export async function copyImages(from: Docker, to: Docker, references: readonly string[]): Promise<void> {
    for (const reference of references) {
        if (!(await hasImage(to, reference))) {
            const loading = await to.loadImage(await from.getImage(reference).get());
            await once(loading.resume(), "end");
        }
    }
}

/** Builds an image from packages, unless the engine already has it. */
export async function buildImage(docker: Docker, image: BuiltImage): Promise<void> {
    if (await hasImage(docker, image.reference)) {
        say(`found the image ${image.reference}`);
        return;
    }
    const program = await image.program?.();
    say(`building ${image.reference} from Debian's packages (${image.packages.join(", ")})`);
    const context = mkdtempSync(join(tmpdir(), "image-"));
    try {
        cpSync(join(PROJECT, "tools", "images", image.folder), context, { recursive: true });
        await debianRootFilesystem(image, join(context, "rootfs.tar"));
        if (program !== undefined) {
            copyFileSync(program, join(context, image.folder));
        }
        const stream = await docker.buildImage({ context, src: readdirSync(context) }, { t: image.reference });
        await follow(docker, stream, (event) => progress(event.stream ?? ""));
    } finally {
        rmSync(context, { recursive: true, force: true });
    }
}

/** The engine's output of a pull or a build, line by line. */
interface EngineEvent {
    id?: string;
    status?: string;
    progress?: string;
    stream?: string;
    error?: string;
}

/**
 * Follows a pull or a build until it ends.
 *
 * @throws {StepError} with the engine's message, if it fails.
 */
function follow(docker: Docker, stream: NodeJS.ReadableStream, onEvent: (event: EngineEvent) => void): Promise<void> {
    return new Promise((resolve, reject) => {
        docker.modem.followProgress(
            stream,
            (error, events: EngineEvent[]) => {
                const failure = error?.message ?? events.find((event) => event.error !== undefined)?.error;
                return failure === undefined ? resolve() : reject(new StepError(failure));
            },
            onEvent,
        );
    });
}

async function debianRootFilesystem({ packages, debian }: BuiltImage, tar: string): Promise<void> {
    await findOrInstallMmdebstrap();
    await run(
        "mmdebstrap",
        [
            "--variant=extract",
            "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
            `--include=${packages.join(",")}`,
            ...DEBIAN_OPTIONS,
            debian?.release ?? DEBIAN_RELEASE,
            tar,
            ...(debian?.sources ?? []),
        ],
        { log: join(LOGS, "mmdebstrap.log") },
    );
}

async function buildGoProgram(
    name: string,
    file: string,
    module: string,
    duration: string,
    flags: string[] = [],
): Promise<string> {
    const folder = join(CACHE, module.replaceAll("/", "_"));
    const program = join(folder, file);
    if (existsSync(program)) {
        return program;
    }
    if ((await outputOf("go", ["version"])) === undefined) {
        throw new StepError(
            `${name} can't be had: no registry answers, and there is no Go to build it with. Either let the engine ` +
                "reach a registry, or install Go 1.24 or newer and put it on PATH; then run this command again.",
        );
    }
    say(`building ${name} from its Go module: about ${duration} on 2 cores`);
    mkdirSync(folder, { recursive: true });
    const env = { ...goBuildEnvironment(), GOBIN: folder, CGO_ENABLED: "0" };
    await run("go", ["install", "-v", ...flags, ...SMALL_PROGRAM, module], { env, log: join(LOGS, `${file}.log`) });
    return program;
}

/** Options of a Go build for a program without debug information and paths of this machine. */
const SMALL_PROGRAM = ["-trimpath", ...GO_BUILD_FLAGS, "-ldflags", "-s -w"];

/**
 * Builds a program of a Go module that replaces some of its dependencies, which `go install` refuses: in the module's own
 * folder.
 *
 * @param packagePath Path of the program's package in the module. Its last part is the program's name.
 */
export async function buildGoProgramInModule(module: string, packagePath: string, duration: string): Promise<string> {
    const file = basename(packagePath);
    const folder = join(CACHE, module.replaceAll("/", "_"));
    const program = join(folder, file);
    if (existsSync(program)) {
        return program;
    }
    const found = await outputOf("go", ["mod", "download", "-json", module]);
    const { Dir: source } = JSON.parse(found ?? "{}") as { Dir?: string };
    if (source === undefined) {
        throw new StepError(
            `${module} can't be had: install Go 1.24 or newer, let it reach a proxy of Go modules, and run this command again.`,
        );
    }
    say(`building ${file} from its Go module: about ${duration} on 2 cores`);
    const env = { ...goBuildEnvironment(), CGO_ENABLED: "0" };
    const args = ["build", "-C", source, "-v", ...SMALL_PROGRAM, "-o", program, `./${packagePath}`];
    await run("go", args, { env, log: join(LOGS, `${file}.log`) });
    return program;
}

async function buildRustfs(version: string): Promise<string> {
    const folder = join(CACHE, `rustfs-${version}`);
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
        `building RustFS ${version} from its crate with the Rust toolchain ${toolchain}: 20 minutes to an hour on 2 cores, ` +
            "6 GB of memory and 10 GB of disk. It can be interrupted: the next run goes on where this one ended.\n" +
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
            ...["--debug", "--ignore-rust-version", "--root", join(folder, "install")],
            // Optimised dependencies: an upload takes a third of the time, and the build a third more.
            ...[
                "--config",
                'profile.dev.package."*".opt-level=1',
                "--config",
                "profile.dev.package.rustfs.opt-level=0",
            ],
        ],
        { env, log, describe: (line) => `${line.includes("Compiling") ? ++crates : crates} steps, now ${line.trim()}` },
    );
    await run("strip", ["-o", program, join(folder, "install", "bin", "rustfs")]);
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
            "Either let the engine reach a registry, or install one by `rustup toolchain install stable`; then run this " +
            "command again. `npm run up` without --store takes MinIO, which needs Go alone.",
    );
}
