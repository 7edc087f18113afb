import Docker from "dockerode";
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PACKAGES, STORE_PACKAGES, type BuiltImage } from "../../tools/images/builtImages";
import { buildImage } from "../../tools/images/engineImages";
import { buildGoProgramInModule } from "../../tools/images/goPrograms";
import { LOCAL, PROJECT } from "../../tools/paths";
import { say } from "../../tools/cli/step";

const STAND_IN_REPOSITORY = "pulumi-docker-object-store/stand-in";

/** Clients that tests run in containers, if they can't run on the host. */
export const TEST_CLIENTS: BuiltImage = {
    reference: "pulumi-docker-object-store/test-clients:1",
    folder: "testClients",
    packages: [...STORE_PACKAGES, "awscli", "python3-boto3", "slowhttptest", "openssl"],
};

/** A host that tests reach by ssh. */
export const SSH_HOST: BuiltImage = {
    reference: "pulumi-docker-object-store/ssh-host:1",
    folder: "sshHost",
    packages: [...BASE_PACKAGES, "openssh-server", "docker-cli"],
};

/** A test CA that issues certificates by ACME, with its name server. */
export const PEBBLE: BuiltImage = {
    reference: "pulumi-docker-object-store/pebble:2.10.0",
    folder: "pebble",
    packages: [...BASE_PACKAGES, "pebble"],
};

/** A name server whose zones clients can update (RFC 2136), for tests of certificates by DNS-01. */
export const KNOT: BuiltImage = {
    reference: "pulumi-docker-object-store/knot:1",
    folder: "knot",
    packages: [...BASE_PACKAGES, "knot"],
};

/** Version 3.5.3. Debian's build of the same version has no receiver for OTLP. */
const PROMETHEUS_MODULE = "github.com/prometheus/prometheus@v0.305.3";

/** Prometheus, for tests of the monitoring example, with promtool from Debian's package. */
export const PROMETHEUS: BuiltImage = {
    reference: "pulumi-docker-object-store/prometheus:3.5.3-otlp",
    folder: "prometheus",
    packages: [...BASE_PACKAGES, "prometheus"],
    program: () => buildGoProgramInModule(PROMETHEUS_MODULE, "cmd/prometheus", "4 minutes"),
};

/** The backup program restic, for tests of the recipes. */
export const RESTIC: BuiltImage = {
    reference: "pulumi-docker-object-store/restic:0.19",
    folder: "restic",
    packages: [...BASE_PACKAGES, "restic"],
};

/**
 * Builds the image of the contract stand-in, unless the engine has it for the current sources. Returns its reference.
 * Removes images of earlier sources that are older than a day.
 */
export async function prepareStandIn(docker: Docker): Promise<string> {
    const program = join(LOCAL, "stand-in", "service.js");
    await build({
        entryPoints: [join(PROJECT, "test", "e2e", "standIn", "main.ts")],
        outfile: program,
        absWorkingDir: PROJECT,
        bundle: true,
        platform: "node",
        format: "cjs",
        target: "node20",
        legalComments: "none",
        logLevel: "warning",
    });
    const packages = [...STORE_PACKAGES, "nodejs"];
    const folder = "standIn";
    const image: BuiltImage = {
        reference: `${STAND_IN_REPOSITORY}:${digestOf(program, folder, packages)}`,
        folder,
        packages,
        program: () => Promise.resolve(program),
    };
    await buildImage(docker, image);
    await removeFormer(docker, image.reference);
    return image.reference;
}

/** Twelve digits that change with every part of the image. */
function digestOf(program: string, folder: string, packages: string[]): string {
    const context = join(PROJECT, "tools", "images", folder);
    const files = [program, ...readdirSync(context).map((name) => join(context, name))];
    const hash = createHash("sha256").update(packages.join(" "));
    files.forEach((file) => hash.update(readFileSync(file)));
    return hash.digest("hex").slice(0, 12);
}

/** Age of an image, in seconds, below which another checkout may still be testing with it. */
const OF_TODAY = 24 * 3600;

/** Removes old images of earlier sources. An image that a container still uses is kept until the next time. */
async function removeFormer(docker: Docker, current: string): Promise<void> {
    const images = await docker.listImages({ filters: { reference: [`${STAND_IN_REPOSITORY}:*`] } });
    const old = images.filter(({ Created: created }) => created < Date.now() / 1000 - OF_TODAY);
    for (const reference of old.flatMap(({ RepoTags: tags }) => tags ?? [])) {
        if (reference !== current && reference.startsWith(`${STAND_IN_REPOSITORY}:`)) {
            const removed = await docker
                .getImage(reference)
                .remove()
                .then(
                    () => true,
                    () => false,
                );
            say(`${removed ? "removed" : "left, since it is in use:"} the image ${reference} of former sources`);
        }
    }
}
