import type Docker from "dockerode";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pack } from "tar-stream";
import { answeringEngine } from "../../../../components/docker/engineConnection";
import { LABELS } from "../../../../components/naming/labels";
import { withClient } from "../../../../components/storeClient/clientSession";

jest.mock("../../../../components/docker/engineConnection", () => ({ answeringEngine: jest.fn() }));

const MINUTE = 60;

/**
 * An engine with a node, whose containers of clients have these ages in minutes and haven't been started.
 *
 * @param hasImage Whether it has the client's image.
 */
function engineWith(clients: { [id: string]: number }, hasImage = true) {
    const calls = {
        listed: [] as object[],
        removed: [] as string[],
        made: [] as Docker.ContainerCreateOptions[],
        pulled: [] as unknown[],
    };
    const node = {
        State: { Running: true, Health: { Status: "healthy" } },
        Config: { Labels: {} },
        NetworkSettings: { Networks: { "store-nodes": { IPAddress: "10.8.0.10" } } },
    };
    const archive = () => {
        const files = pack();
        files.entry({ name: "environment" }, "MINIO_ROOT_USER='admin'\nMINIO_ROOT_PASSWORD='a-password'\n");
        files.finalize();
        return Promise.resolve(files.pipe(new PassThrough()));
    };
    const docker = {
        listContainers: (options: { filters: { label: string[]; status?: string[] } }) => {
            if (options.filters.status === undefined) {
                return Promise.resolve([{ Labels: { [LABELS.node]: "store-node1" } }]);
            }
            calls.listed.push(options.filters);
            const now = Date.now() / 1000;
            return Promise.resolve(
                Object.entries(clients).map(([Id, minutes]) => ({ Id, Created: now - minutes * MINUTE })),
            );
        },
        getContainer: (id: string) => ({
            inspect: () => Promise.resolve(node),
            getArchive: archive,
            remove: () => {
                calls.removed.push(id);
                return Promise.resolve();
            },
        }),
        getImage: () => ({
            inspect: () =>
                hasImage ? Promise.resolve({}) : Promise.reject(Object.assign(new Error(), { statusCode: 404 })),
        }),
        pull: (image: string, options: { authconfig?: { username?: string } }) => {
            calls.pulled.push([image, options.authconfig?.username]);
            return Promise.reject(new Error("unauthorized"));
        },
        createContainer: (options: Docker.ContainerCreateOptions) => {
            calls.made.push(options);
            return Promise.reject(new Error("that is enough"));
        },
    };
    jest.mocked(answeringEngine).mockResolvedValue(docker as unknown as Docker);
    return calls;
}

describe("a session of the client", () => {
    test("removes what a killed program has made and not started, and nothing that may be starting", async () => {
        const calls = engineWith({ old: 11, recent: 9 });
        const session = withClient({ name: "store", clientImage: "client:1" }, () => Promise.resolve());
        await expect(session).rejects.toThrow("that is enough");
        const label = `${LABELS.client}=store-nodes`;
        expect(calls.listed).toEqual([{ label: [label], status: ["created"] }]);
        expect(calls.removed).toEqual(["old"]);
        expect(calls.made.map(({ Labels: labels }) => labels)).toEqual([{ [LABELS.client]: "store-nodes" }]);
    });

    test("pulls the client's image with the credentials of docker login", async () => {
        const folder = mkdtempSync(join(tmpdir(), "docker-"));
        const auth = Buffer.from("somebody:a-password").toString("base64");
        writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { "registry.test": { auth } } }));
        const environment = jest.replaceProperty(process, "env", { ...process.env, DOCKER_CONFIG: folder });
        const calls = engineWith({}, false);
        const session = withClient({ name: "store", clientImage: "registry.test/mc:1" }, () => Promise.resolve());
        await expect(session).rejects.toThrow("the client's image registry.test/mc:1 isn't on the Docker daemon");
        expect(calls.pulled).toEqual([["registry.test/mc:1", "somebody"]]);
        environment.restore();
        rmSync(folder, { recursive: true });
    });
});
