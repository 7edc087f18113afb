import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasImage, haveImage, pulled } from "../../components/docker/imagePull";
import { DockerHost } from "./harness/dockerHost";
import { PrivateRegistry } from "./harness/privateRegistry";

describe("an image in a registry with a login", () => {
    const { docker } = new DockerHost();
    const password = randomBytes(16).toString("hex");
    const folder = mkdtempSync(join(tmpdir(), "docker-config-"));
    const former = process.env["DOCKER_CONFIG"];
    let registry: PrivateRegistry;
    let image: string;

    const logIn = (secret: string) => {
        const auth = Buffer.from(`operator:${secret}`).toString("base64");
        writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    };
    const have = () => haveImage(docker, image, (name) => pulled(docker, name));

    beforeAll(async () => {
        registry = await PrivateRegistry.start("operator", password);
        image = `${registry.host}/own/store:1.0.0`;
        process.env["DOCKER_CONFIG"] = folder;
    });

    afterAll(async () => {
        await docker
            .getImage(image)
            .remove()
            .catch(() => undefined);
        await registry.stop();
        process.env["DOCKER_CONFIG"] = former;
        rmSync(folder, { recursive: true });
    });

    test("isn't pulled without credentials, nor with wrong ones, and the message names the login but no secret", async () => {
        await expect(have()).rejects.toThrow(`run docker login ${registry.host}`);
        logIn("wrong-secret");
        const failure = await have().catch((error: unknown) => String(error));
        expect(failure).toContain(`${image} isn't on the Docker daemon, and can't be pulled`);
        expect(failure).not.toContain("wrong-secret");
        expect(await hasImage(docker, image)).toBe(false);
    }, 60_000);

    test("is pulled with what docker login has stored", async () => {
        logIn(password);
        expect(await have()).toBe(image);
        expect(await hasImage(docker, image)).toBe(true);
    }, 60_000);
});
