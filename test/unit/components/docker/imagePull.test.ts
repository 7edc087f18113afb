import Docker from "dockerode";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Readable } from "node:stream";
import { DEFAULT_CLIENT_IMAGE } from "../../../../components/storeClient/storeReference";
import { haveImage, pulled } from "../../../../components/docker/imagePull";
import { credentialsFor, registryOf } from "../../../../components/docker/registryCredentials";
import { DEFAULT_HAPROXY_IMAGE } from "../../../../components/haproxyConfig/image";
import { sourcesOf } from "../../../../components/naming/imageSources";
import { minioProfile } from "../../../../components/store/profiles/minio";
import { rustfsProfile } from "../../../../components/store/profiles/rustfs";
import { RCLONE_IMAGE } from "../../../../tools/images/builtImages";

/** An engine with these images, and registries that give these. Returns what was pulled and tagged. */
function engineWith(images: string[], given: string[] = [], refusal = "no such host") {
    const pulled: string[] = [];
    const getImage = (name: string) => ({
        inspect: () =>
            images.includes(name)
                ? Promise.resolve({})
                : Promise.reject(Object.assign(new Error(), { statusCode: 404 })),
        tag: ({ repo, tag }: { repo: string; tag: string }) => Promise.resolve(images.push(`${repo}:${tag}`)),
    });
    const pull = (name: string) => {
        pulled.push(name);
        return given.includes(name) ? Promise.resolve(void images.push(name)) : Promise.reject(new Error(refusal));
    };
    const have = (name: string, mayBeFork = false) => haveImage({ getImage } as never, name, pull, mayBeFork);
    return { have, pulled, images };
}

const OTHER = "ghcr.io/rustfs/rustfs:1.0.1";
const RUSTFS = rustfsProfile.image ?? "";

describe("an image that the engine lacks", () => {
    test("is pulled by its own name first; one that is there isn't pulled", async () => {
        const { have, pulled } = engineWith([], [RUSTFS, OTHER]);
        expect(await have(RUSTFS)).toBe(RUSTFS);
        expect(await have(RUSTFS)).toBe(RUSTFS);
        expect(pulled).toEqual([RUSTFS]);
    });

    test("comes from the next registry, and gets the default's name, also without a registry", async () => {
        const next = engineWith([], [OTHER]);
        expect(await next.have(RUSTFS)).toBe(RUSTFS);
        expect(next.images).toEqual([OTHER, RUSTFS]);
        const offline = engineWith([OTHER]);
        expect(await offline.have(RUSTFS)).toBe(RUSTFS);
        expect(offline.pulled).toEqual([]);
    });

    test("is a fork's only where it may be, under its own name", async () => {
        const [fork = ""] = sourcesOf(DEFAULT_CLIENT_IMAGE).forks;
        expect(await engineWith([], [fork]).have(DEFAULT_CLIENT_IMAGE, true)).toBe(fork);
        await expect(engineWith([], [fork]).have(DEFAULT_CLIENT_IMAGE)).rejects.toThrow("can't be pulled");
    });

    test("isn't there after a pull that the engine reports as failed in the middle", async () => {
        const events = [{ status: "Downloading" }, { error: "no space left on device" }];
        const lines = events.map((event) => `${JSON.stringify(event)}\n`);
        const engine = { modem: new Docker().modem, pull: () => Promise.resolve(Readable.from(lines)) };
        await expect(pulled(engine as never, OTHER)).rejects.toThrow("no space left on device");
    });

    test("that no registry gives is reported with everything that was tried, and with the login that is missing", async () => {
        await expect(engineWith([]).have(RUSTFS)).rejects.toThrow(
            `${RUSTFS} isn't on the Docker daemon, and can't be pulled: ${RUSTFS} (no such host); ${OTHER} (no such host)`,
        );
        await expect(engineWith([], [], "unauthorized: login first").have("registry.test/own:1.0.0")).rejects.toThrow(
            "registry.test/own:1.0.0 (unauthorized: login first: if it needs a login, run docker login registry.test",
        );
    });

    test("has more than one source, if it is a default", () => {
        const defaults = [RUSTFS, minioProfile.image ?? "", DEFAULT_HAPROXY_IMAGE, DEFAULT_CLIENT_IMAGE, RCLONE_IMAGE];
        expect(defaults.filter((image) => sourcesOf(image).same.length === 0)).toEqual([]);
    });
});

describe("credentials for a registry", () => {
    let folder: string;
    const file = () => join(folder, "config.json");
    const write = (config: unknown) =>
        writeFileSync(file(), typeof config === "string" ? config : JSON.stringify(config));
    const auth = Buffer.from("me:pass:word").toString("base64");

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "docker-config-"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    test.each([
        ["haproxy:3.2.26", "https://index.docker.io/v1/"],
        ["docker.io/library/haproxy:3.2.26", "https://index.docker.io/v1/"],
        ["rustfs/rustfs:1.0.1", "https://index.docker.io/v1/"],
        ["registry.test:5000/a/b:1", "registry.test:5000"],
        ["localhost/a:1", "localhost"],
    ])("the registry of %s is %s", (image, registry) => {
        expect(registryOf(image)).toBe(registry);
    });

    test("are those of docker login, in each form of the file; none without a file, or for another registry", async () => {
        expect(await credentialsFor("registry.test/a:1", file())).toBeUndefined();
        for (const name of ["registry.test", "https://registry.test/v1/"]) {
            write({ auths: { [name]: { auth } } });
            expect(await credentialsFor("registry.test/a:1", file())).toEqual({
                username: "me",
                password: "pass:word",
                serveraddress: "registry.test",
            });
        }
        expect(await credentialsFor("other.test/a:1", file())).toBeUndefined();
        write({ auths: { "https://index.docker.io/v1/": { auth } } });
        expect(await credentialsFor("haproxy:3.2.26", file())).toMatchObject({ username: "me" });
        write({ auths: { "registry.test": { identitytoken: "token" } } });
        expect(await credentialsFor("registry.test/a:1", file())).toMatchObject({ identitytoken: "token" });
    });

    test("come from the helper that the file names, by its protocol", async () => {
        const helper = join(folder, "docker-credential-test");
        writeFileSync(
            helper,
            '#!/bin/sh\nread -r server\n[ "$1 $server" = "get registry.test" ] || { echo "credentials not found in store"; exit 1; }\n' +
                'echo \'{"ServerURL": "registry.test", "Username": "me", "Secret": "word"}\'\n',
        );
        chmodSync(helper, 0o755);
        const path = process.env["PATH"] ?? "";
        process.env["PATH"] = folder + delimiter + path;
        try {
            for (const config of [{ credsStore: "test" }, { credHelpers: { "registry.test": "test" } }]) {
                write(config);
                expect(await credentialsFor("registry.test/a:1", file())).toMatchObject({
                    username: "me",
                    password: "word",
                });
                expect(await credentialsFor("other.test/a:1", file())).toBeUndefined();
            }
            write({ credsStore: "missing" });
            await expect(credentialsFor("registry.test/a:1", file())).rejects.toThrow(
                "docker-credential-missing, which Docker's config.json names, isn't installed",
            );
        } finally {
            process.env["PATH"] = path;
        }
    });

    test("in a file that can't be read are reported without its content", async () => {
        write('{"auths": {"registry.test": {"auth": "c2VjcmV0"');
        const failure = await credentialsFor("registry.test/a:1", file()).catch((error: unknown) => String(error));
        expect(failure).toContain(`${file()} can't be read: it is no JSON`);
        expect(failure).not.toContain("c2VjcmV0");
    });
});
