import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";

/** Content by its digest, with its type. */
interface Blob {
    type: string;
    content: Buffer;
}

/** A registry on this machine that gives one image, with one file in it, to who logs in (OCI distribution specification). */
export class PrivateRegistry {
    private readonly blobs = new Map<string, Blob>();
    private readonly manifest: string;

    private constructor(
        private readonly server: ReturnType<typeof createServer>,
        private readonly login: string,
    ) {
        const layer = layerWith("file");
        const config = {
            architecture: process.arch === "arm64" ? "arm64" : "amd64",
            os: "linux",
            config: {},
            rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
        };
        const described = (type: string, content: Buffer) => {
            const digest = this.add(type, content);
            return { mediaType: type, size: content.length, digest };
        };
        this.manifest = this.add(
            MANIFEST,
            Buffer.from(
                JSON.stringify({
                    schemaVersion: 2,
                    mediaType: MANIFEST,
                    config: described(
                        "application/vnd.docker.container.image.v1+json",
                        Buffer.from(JSON.stringify(config)),
                    ),
                    layers: [described("application/vnd.docker.image.rootfs.diff.tar.gzip", gzipSync(layer))],
                }),
            ),
        );
        server.on("request", (request, response) => this.answer(request, response));
    }

    static async start(username: string, password: string): Promise<PrivateRegistry> {
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        return new PrivateRegistry(server, Buffer.from(`${username}:${password}`).toString("base64"));
    }

    /** Its name, as images and `docker login` have it. Engines need no TLS for an address of their own machine. */
    get host(): string {
        return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
    }

    private add(type: string, content: Buffer): string {
        const digest = digestOf(content);
        this.blobs.set(digest, { type, content });
        return digest;
    }

    private answer({ headers, method, url = "" }: IncomingMessage, response: ServerResponse): void {
        if (headers.authorization !== `Basic ${this.login}`) {
            const errors = [{ code: "UNAUTHORIZED", message: "authentication required" }];
            response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end(JSON.stringify({ errors }));
            return;
        }
        const [, wanted = ""] = /\/(?:manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
        const digest = url.includes("/manifests/") && !wanted.startsWith("sha256:") ? this.manifest : wanted;
        const blob = this.blobs.get(digest);
        if (url !== "/v2/" && blob === undefined) {
            response.writeHead(404).end();
            return;
        }
        const { type = "application/json", content = Buffer.from("{}") } = blob ?? {};
        response.writeHead(200, {
            "content-type": type,
            "content-length": content.length,
            "docker-content-digest": digest,
        });
        response.end(method === "HEAD" ? undefined : content);
    }
}

function digestOf(content: Buffer): string {
    return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** A layer with an empty file. */
function layerWith(file: string): Buffer {
    const folder = mkdtempSync(join(tmpdir(), "layer-"));
    writeFileSync(join(folder, file), "");
    const layer = execFileSync("tar", ["-cf", "-", "-C", folder, file]);
    rmSync(folder, { recursive: true });
    return layer;
}
