import Docker from "dockerode";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestCertificate } from "../test/certificates";
import { BASE_PACKAGES, type BuiltImage } from "../tools/images/builtImages";
import { buildImage } from "../tools/images/engineImages";
import { CACHE } from "../tools/paths";
import { outputOf, run } from "../tools/machine/run";
import { composeFile, composeNodes, type ComposeArgs } from "./composeFile";
import { nginxConfig } from "./peerConfigs";

/** Debian's package of Docker Compose 2. The program is extracted from it. */
const COMPOSE: BuiltImage = {
    reference: "pulumi-docker-object-store/bench-compose:1",
    folder: "benchLoad",
    packages: [...BASE_PACKAGES, "docker-compose"],
};

/** Path of the program in the package. */
const COMPOSE_PROGRAM = "/usr/libexec/docker/cli-plugins/docker-compose";

/** Prepares Docker Compose 2, and returns its command: the installed one, else Debian's program. */
export async function prepareCompose(docker: Docker): Promise<string[]> {
    if (/version v?2\.|version v?[3-9]/.test((await outputOf("docker", ["compose", "version"])) ?? "")) {
        return ["docker", "compose"];
    }
    const program = join(CACHE, "docker-compose");
    if (!existsSync(program)) {
        await buildImage(docker, COMPOSE);
        mkdirSync(CACHE, { recursive: true });
        const folder = mkdtempSync(join(tmpdir(), "compose-"));
        const container = await docker.createContainer({ Image: COMPOSE.reference, Cmd: ["true"] });
        try {
            await run("docker", ["cp", `${container.id}:${COMPOSE_PROGRAM}`, join(folder, "docker-compose")]);
            copyFileSync(join(folder, "docker-compose"), program);
        } finally {
            await container.remove({ force: true });
            rmSync(folder, { recursive: true, force: true });
        }
    }
    return [program];
}

/** A Compose project in its own folder. */
export class ComposeProject {
    private readonly folder = mkdtempSync(join(tmpdir(), "compose-project-"));

    constructor(
        private readonly compose: string[],
        args: ComposeArgs,
        { certificate, key }: TestCertificate,
    ) {
        const files = {
            "compose.yaml": composeFile(args),
            "nginx.conf": nginxConfig({ host: "s3.localhost", nodes: composeNodes(args) }),
            "certificate.pem": certificate,
            "key.pem": key,
        };
        for (const [name, text] of Object.entries(files)) {
            writeFileSync(join(this.folder, name), text);
        }
    }

    /** Runs `docker compose up --wait`. */
    up(): Promise<string> {
        return this.run("up", "--wait", "--quiet-pull");
    }

    /** Runs another command of Docker Compose. */
    run(...command: string[]): Promise<string> {
        const [program = "", ...first] = this.compose;
        return run(program, [...first, "--project-directory", this.folder, ...command], { timeout: 600 });
    }

    /** Removes its containers, networks and volumes. */
    async remove(): Promise<void> {
        await this.run("down", "--volumes", "--timeout", "1");
        rmSync(this.folder, { recursive: true, force: true });
    }
}
