import type Docker from "dockerode";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Docker Hub's name in Docker's own files. */
const HUB = "https://index.docker.io/v1/";

const HELPER_SECONDS = 30;

/** The part of Docker's `config.json` with credentials (docs.docker.com, "docker login"). */
interface DockerConfig {
    auths?: { [server: string]: { auth?: string; identitytoken?: string } };
    credsStore?: string;
    credHelpers?: { [server: string]: string };
}

/** What a credential helper answers. */
interface HelperAnswer {
    Username: string;
    Secret: string;
}

/** Asks a credential helper for a server's credentials. Undefined if it has none. */
export type AskHelper = (helper: string, server: string) => Promise<HelperAnswer | undefined>;

/** The file in which `docker login` stores credentials, or says which program has them. */
export function credentialsFile(): string {
    return join(process.env["DOCKER_CONFIG"] ?? join(homedir(), ".docker"), "config.json");
}

/** The registry of an image, as `docker login` names it. */
export function registryOf(image: string): string {
    const [first = "", ...rest] = image.split("/");
    return rest.length > 0 && /[.:]|^localhost$/.test(first) && first !== "docker.io" ? first : HUB;
}

/**
 * The credentials that `docker pull` would use for an image. Undefined if there are none.
 *
 * @throws {Error} if the file can't be read, or a credential helper fails.
 */
export async function credentialsFor(
    image: string,
    file = credentialsFile(),
    ask: AskHelper = askHelper,
): Promise<Docker.AuthConfig | undefined> {
    const { auths = {}, credHelpers = {}, credsStore } = await readConfig(file);
    const server = registryOf(image);
    const helper = credHelpers[server] ?? credHelpers[hostOf(server)] ?? credsStore;
    const answer = helper === undefined ? undefined : await ask(helper, server);
    if (answer !== undefined) {
        return answer.Username === "<token>"
            ? tokenLogin(answer.Secret, server)
            : { username: answer.Username, password: answer.Secret, serveraddress: server };
    }
    const [, entry] = Object.entries(auths).find(([name]) => hostOf(name) === hostOf(server)) ?? [];
    if (entry?.identitytoken !== undefined && entry.identitytoken !== "") {
        return tokenLogin(entry.identitytoken, server);
    }
    const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(entry?.auth ?? "", "base64").toString()) ?? [];
    return username === undefined || password === undefined ? undefined : { username, password, serveraddress: server };
}

function tokenLogin(identitytoken: string, serveraddress: string): Docker.AuthConfig {
    return { identitytoken, serveraddress };
}

/** A server's host, without the scheme and path that older entries have. */
function hostOf(server: string): string {
    return server.replace(/^https?:\/\//, "").split("/")[0] ?? "";
}

async function readConfig(file: string): Promise<DockerConfig> {
    try {
        return JSON.parse(await readFile(file, "utf8")) as DockerConfig;
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") {
            return {};
        }
        // A parser's message quotes the text, which has credentials.
        throw new Error(`${file} can't be read: ${error instanceof SyntaxError ? "it is no JSON" : message}`, {
            cause: error,
        });
    }
}

/** The protocol of github.com/docker/docker-credential-oneShots: the server on standard input, JSON on standard output. */
function askHelper(helper: string, server: string): Promise<HelperAnswer | undefined> {
    const program = `docker-credential-${helper}`;
    return new Promise((resolve, reject) => {
        const child = execFile(
            program,
            ["get"],
            { timeout: HELPER_SECONDS * 1000, env: process.env },
            (error, stdout) => {
                if (error === null) {
                    resolve(JSON.parse(stdout) as HelperAnswer);
                } else if (stdout.includes("credentials not found")) {
                    resolve(undefined);
                } else {
                    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "isn't installed" : "failed";
                    reject(new Error(`${program}, which Docker's config.json names, ${reason}`));
                }
            },
        );
        child.stdin?.on("error", () => undefined).end(server);
    });
}
