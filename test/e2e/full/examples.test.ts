import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DockerHost } from "../harness/dockerHost";
import { commandsOf, ExamplesFolder, type ExampleProject } from "../harness/examples";
import { rustfsStore } from "../harness/stores";

const MINUTES = 60_000;

const NO_CHANGE = "pulumi preview --expect-no-changes";

describe("the examples on RustFS", () => {
    const host = new DockerHost();
    const drives = mkdtempSync(join(tmpdir(), "drives-"));
    const { image } = rustfsStore().config;
    let examples: ExamplesFolder;

    beforeAll(async () => {
        examples = await ExamplesFolder.make(["single-node", "cluster", "environments"]);
    }, 3 * MINUTES);

    afterAll(async () => {
        await examples.remove();
        rmSync(drives, { recursive: true, force: true });
    }, 2 * MINUTES);

    /** Runs code blocks, one after the other. */
    const runAll = async (project: ExampleProject, blocks: string[]) => {
        for (const commands of blocks) {
            await project.run(commands);
        }
    };

    const [use = ""] = commandsOf("README.md", "Use the store");
    const [, removeAll = ""] = commandsOf("README.md", "Remove it");

    test(
        "single-node: a store that serves, with the default profile",
        async () => {
            const project = await examples.project("single-node", { profile: undefined, image });
            await runAll(project, commandsOf("single-node/README.md"));
            await project.exchangeObject();
            expect(await project.run(use)).toBe(project.read("Pulumi.yaml"));
            await project.run(removeAll);
            expect(await project.namesOnEngine()).toEqual([]);
        },
        5 * MINUTES,
    );

    test(
        "cluster: four nodes that serve; a second run changes nothing",
        async () => {
            const project = await examples.project("cluster", { profile: undefined, image });
            const [deploy = "", setDisks = ""] = commandsOf("cluster/README.md");
            await project.run(deploy);
            await project.run(NO_CHANGE);
            await project.exchangeObject();
            const { nodeNames } = await project.outputs();
            expect(nodeNames).toHaveLength(4);
            await project.run(removeAll);
            expect(await project.namesOnEngine()).toEqual([]);

            await project.run(setDisks);
            expect(JSON.parse(await project.run("pulumi config get drivePaths"))).toEqual(
                [1, 2, 3, 4].map((disk) => [`/mnt/disk${disk}/object-store`]),
            );
        },
        10 * MINUTES,
    );

    test(
        "environments: a store for dev, which is removed with its data, and one for production, on four disks",
        async () => {
            const project = await examples.project("environments", { profile: undefined, image });
            const [dev = "", prod = ""] = commandsOf("environments/README.md");
            await project.run(dev);
            await project.exchangeObject();
            const { Config: proxy } = await host.inspect(`${project.name}-dev-proxy`);
            expect(proxy.Labels).toMatchObject({ environment: "dev" });
            await project.run("pulumi destroy");
            expect(await project.namesOnEngine()).toEqual([]);

            const paths = [1, 2, 3, 4].map((disk) => [join(drives, `disk${disk}`)]);
            paths.flat().forEach((path) => mkdirSync(path));
            project.configure("prod", {
                ...project.ownConfig,
                drivePaths: paths,
                allowDrivesOnOneDevice: true,
            });
            await project.run(prod);
            await project.exchangeObject();
            const found = await Promise.all(
                [1, 2, 3, 4].map((node) =>
                    host.docker.getVolume(`${project.name}-prod-pool1-node${node}-drive1`).inspect(),
                ),
            );
            expect(found.map(({ Options: options }) => [options?.["device"]])).toEqual(paths);
            await project.run(removeAll);
            expect(await project.namesOnEngine()).toEqual([]);
        },
        10 * MINUTES,
    );

    test.each(["yaml", "python", "go"])(
        "%s: a store that serves, deployed by a program in that language",
        async (name) => {
            const project = await examples.projectInClone(name, { profile: "rustfs", image });
            await runAll(project, commandsOf(`${name}/README.md`));
            await project.run(NO_CHANGE);
            await project.exchangeObject();
            await project.run(removeAll);
            expect(await project.namesOnEngine()).toEqual([]);
        },
        10 * MINUTES,
    );
});
