import { follow } from "../../components/docker/imagePull";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT_IMAGES } from "../../tools/images/builtImages";
import { DockerHost } from "./harness/dockerHost";
import { commandsOf, ExamplesFolder, typescriptExamples, type ExampleProject } from "./harness/examples";
import { hostGateway } from "./harness/hostGateway";
import { packageManifest } from "./harness/packageConsumer";
import { Pebble } from "./harness/pebble";
import { openTlsSocket } from "./harness/rawConnection";
import { startRelay } from "./harness/relay";
import { furtherImage, runPrefix, testImages } from "./harness/testRun";

const MINUTES = 60_000;

const NO_CHANGE = "pulumi preview --expect-no-changes";

describe("the examples", () => {
    const host = new DockerHost();
    const relays: Server[] = [];
    let examples: ExamplesFolder;

    beforeAll(async () => {
        examples = await ExamplesFolder.make(typescriptExamples());
    }, 3 * MINUTES);

    afterAll(async () => {
        relays.forEach((relay) => relay.close());
        await examples.remove();
    }, 2 * MINUTES);

    /** Runs these code blocks of a README, one after the other. */
    const runAll = async (project: ExampleProject, blocks: string[]) => {
        for (const commands of blocks) {
            await project.run(commands);
        }
    };

    /** Forwards connections on loopback to an example that is published on another address. */
    const relay = async ({ httpsPort: port }: ExampleProject, address: string) =>
        relays.push(await startRelay({ host: "127.0.0.1", port }, { host: address, port }));

    const [use = ""] = commandsOf("README.md", "Use the store");
    const [keepData = "", removeAll = ""] = commandsOf("README.md", "Remove it");

    test("compile against the installed package", async () => {
        const names = typescriptExamples();
        writeFileSync(
            join(examples.folder, "tsconfig.json"),
            JSON.stringify({
                extends: `./${names[0]}/tsconfig.json`,
                files: names.map((name) => `${name}/index.ts`),
            }),
        );
        await examples.run(examples.folder, "npx tsc");
    }, 60_000);

    test.each(typescriptExamples())("%s depends on exact versions, those of this project", (name) => {
        const { dependencies, devDependencies } = examples.manifestOf(name);
        const { dependencies: ranges, devDependencies: pinned, ...own } = packageManifest();
        const tarball = `file:../${own.name}-${own.version}.tgz`;
        for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies })) {
            const range = { ...ranges, ...pinned, [own.name]: tarball }[dependency];
            expect([dependency, version]).toEqual([dependency, range?.replace("^", "")]);
        }
    });

    test(
        "single-node: a store that serves; a second run changes nothing; everything is removed, the data last",
        async () => {
            const project = await examples.project("single-node");
            await runAll(project, commandsOf("single-node/README.md"));
            await project.run(NO_CHANGE);
            await project.exchangeObject();
            expect(await project.run(use)).toBe(project.read("Pulumi.yaml"));

            await project.run(keepData);
            expect((await project.namesOnEngine()).sort()).toEqual(
                ["drive1", "secrets"].map((volume) => `${project.name}-dev-pool1-node1-${volume}`),
            );
            await project.run(removeAll);
            expect(await project.namesOnEngine()).toEqual([]);
        },
        4 * MINUTES,
    );

    test(
        "minio: MinIO with a variable of its own",
        async () => {
            const project = await examples.project("minio", { profile: undefined });
            await runAll(project, commandsOf("minio/README.md"));
            await project.exchangeObject();
            const node = await host.inspect(`${project.name}-dev-pool1-node1`);
            expect(node.Config.Env).toContain("MINIO_API_OBJECT_MAX_VERSIONS=100");
        },
        4 * MINUTES,
    );

    test(
        "certificate: the configured certificate is served, and its key is in no file",
        async () => {
            const project = await examples.project("certificate");
            await runAll(project, commandsOf("certificate/README.md"));
            const chain = project.read("chain.pem");
            await project.exchangeObject({ caCertificate: chain });
            const [, line = ""] = project.read("key.pem").split("\n");
            expect(project.read("Pulumi.dev.yaml")).not.toContain(line);
            expect(await project.run("pulumi stack export")).not.toContain(line);
        },
        4 * MINUTES,
    );

    test(
        "acme: the served certificate is issued by the CA",
        async () => {
            const hostnames = ["s3.example.com", "console.example.com"];
            const pebble = await Pebble.start(hostnames);
            try {
                const project = await examples.project("acme", {
                    publishAddress: pebble.address,
                    acme: {
                        directoryUrl: pebble.directoryUrl,
                        trustedCertificates: readFileSync(pebble.trustedCertificatesFile, "utf8"),
                        nameServers: [pebble.address],
                        image: furtherImage("lego"),
                    },
                });
                await relay(project, pebble.address);
                await runAll(project, commandsOf("acme/README.md"));
                await project.exchangeObject({ caCertificate: await pebble.rootCertificate() });
                const socket = await openTlsSocket(project.httpsPort, { servername: hostnames[1] ?? "" });
                expect(socket.getPeerX509Certificate()?.subjectAltName?.split(", ").sort()).toEqual(
                    hostnames.map((name) => `DNS:${name}`).sort(),
                );
                socket.destroy();
                await project.run(removeAll);
                expect(await project.namesOnEngine()).toEqual([]);
            } finally {
                await pebble.remove();
            }
        },
        4 * MINUTES,
    );

    test(
        "application: it keeps its notes in the store, behind the same proxy, and docker inspect shows none of its keys",
        async () => {
            const address = await hostGateway(host);
            const project = await examples.project("application", {
                publishAddress: address,
                clientImage: BUILT_IMAGES.mc.reference,
            });
            const python = await pythonImage(host);
            const dockerfile = "notes/Dockerfile";
            project.write(dockerfile, project.read(dockerfile).replace(/^FROM .*/, `FROM ${python}`));
            await relay(project, address);
            try {
                const [deploy = "", tryIt = ""] = commandsOf("application/README.md");
                await project.run(deploy);
                await project.run(NO_CHANGE);
                expect(await project.run(tryIt)).toBe("kept\nhello");
                const inspected = JSON.stringify(await host.inspect(`${project.name}-dev-notes`));
                const { secretKey } = await project.outputs();
                expect(inspected).not.toContain(secretKey);
                expect(await project.run("pulumi stack export")).not.toContain(secretKey);
                await project.run(removeAll);
                expect(await project.namesOnEngine()).toEqual([]);
            } finally {
                await project.removeFromEngine();
                await removeImages(host, [`${project.name}-dev-notes:latest`, python]);
            }
        },
        4 * MINUTES,
    );
});

/** Removes those of these images that exist. */
async function removeImages(host: DockerHost, names: string[]): Promise<void> {
    const tags = (await host.docker.listImages()).flatMap(({ RepoTags: found }) => found ?? []);
    for (const name of names.filter((one) => tags.includes(one))) {
        await host.docker.getImage(name).remove();
    }
}

/**
 * Creates an image with the content of the official Python image after `pip install boto3`, so that no registry is
 * needed.
 */
async function pythonImage(host: DockerHost): Promise<string> {
    const [context, name] = [mkdtempSync(join(tmpdir(), "python-")), `${runPrefix()}-python:1`];
    const commands = `FROM ${testImages().clients}\nRUN ln -s /bin/true /usr/bin/pip\n`;
    writeFileSync(join(context, "Dockerfile"), commands);
    const progress = await host.docker.buildImage({ context, src: ["Dockerfile"] }, { t: name });
    await follow(host.docker, progress);
    rmSync(context, { recursive: true });
    return name;
}
