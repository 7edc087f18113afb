import { readdirSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** How messages name the settings of an engine. */
export interface SettingNames {
    /** Name of its address. */
    host: string;
    /** Name of the folder with its certificates. */
    certPath: string;
}

/** The Docker provider's settings that determine which engine it talks to. */
export interface EngineSettings {
    /** How messages name them. Default: the provider's config keys. */
    names?: SettingNames;
    /** Host that the program must use regardless of the provider's settings: the `dockerHost` arg of a component. */
    givenHost?: string;
    /** `docker:host` */
    host?: string;
    /** `docker:context` */
    context?: string;
    /** `docker:certPath`: a folder with `ca.pem`, `cert.pem` and `key.pem`. */
    certPath?: string;
    /** `docker:caMaterial`, PEM */
    caMaterial?: string;
    /** `docker:certMaterial`, PEM */
    certMaterial?: string;
    /** `docker:keyMaterial`, PEM. A secret. */
    keyMaterial?: string;
    /** `docker:sshOpts` */
    sshOpts?: string[];
    /** Returns the id of a Docker network as the provider itself sees it; undefined if that is unknown. */
    networkIdOfProvider?: (network: string) => Promise<string | undefined>;
}

/** Client certificate with its key, and the CA certificate that must have signed the engine's own certificate, in PEM. */
export interface EngineTls {
    ca: string;
    cert: string;
    key: string;
}

/** Address of an engine, and the way to connect to it. */
export type EngineEndpoint =
    | { kind: "socket"; url: string; socketPath: string }
    | { kind: "tcp"; url: string; host: string; port: number; tls?: EngineTls }
    | { kind: "ssh"; url: string; sshArguments: string[] };

/** Environment variables in the format of `process.env`. */
export type Environment = NodeJS.ProcessEnv;

const DEFAULT_HOST = "unix:///var/run/docker.sock";

/** The Docker provider's config keys. */
const PROVIDER_KEYS: SettingNames = { host: "docker:host", certPath: "docker:certPath" };

/** A value, and the name of the setting that it comes from. */
interface Setting {
    name: string;
    value: string;
}

/**
 * The engine that the Docker provider (@pulumi/docker 5) talks to with these settings. The provider has its own precedence
 * and its own environment variables. A context has precedence over a host, and sets only the host. Certificates come from
 * `certMaterial` and `keyMaterial`, otherwise from `certPath`. `DOCKER_TLS_VERIFY`, `DOCKER_CONFIG` and the CLI's current
 * context are ignored.
 *
 * @param contexts Folder with Docker's contexts. The provider reads only those in the user's home.
 * @throws {Error} that says what to set, if the provider refuses these settings or would talk to an engine without
 * verifying it.
 */
export function engineEndpoint(
    settings: EngineSettings = {},
    environment: Environment = process.env,
    contexts?: string,
): EngineEndpoint {
    const { names = PROVIDER_KEYS } = settings;
    const pick = (value: string | undefined, key: string, variable: string): Setting | undefined =>
        [
            { name: key, value: value ?? "" },
            { name: variable, value: environment[variable] ?? "" },
        ].find((setting) => setting.value !== "");
    const context =
        settings.givenHost === undefined ? pick(settings.context, "docker:context", "DOCKER_CONTEXT") : undefined;
    const found =
        context === undefined ? undefined : readContext(context, contexts ?? join(homeFolder(), ".docker", "contexts"));
    const host = found?.host ??
        pick(settings.givenHost, "dockerHost", "") ??
        pick(settings.host, names.host, "DOCKER_HOST") ?? { name: names.host, value: DEFAULT_HOST };
    const material = {
        ca: pick(settings.caMaterial, "docker:caMaterial", "DOCKER_CA_MATERIAL"),
        cert: pick(settings.certMaterial, "docker:certMaterial", "DOCKER_CERT_MATERIAL"),
        key: pick(settings.keyMaterial, "docker:keyMaterial", "DOCKER_KEY_MATERIAL"),
    };
    const certPath = pick(settings.certPath, names.certPath, "DOCKER_CERT_PATH");
    const sshOptions = settings.sshOpts ?? (environment["DOCKER_SSH_OPTS"] ?? "").split(/\s+/).filter(Boolean);
    const tls = tlsOf(material, certPath);
    const { protocol } = parsed(host);
    if (protocol !== "tcp:" && protocol !== "http:" && tls !== undefined) {
        throw new Error(
            `${host.name}: "${host.value}" can't be used with ${tls.name}, for which the Docker provider speaks TLS to every host: ` +
                `unset ${tls.name}, or give a host such as tcp://docker.example.com:2376`,
        );
    }
    if (found?.tlsFolder !== undefined && tls === undefined) {
        throw new Error(
            `${found.host.name} has TLS certificates, which the Docker provider doesn't take from a context: ` +
                `set docker:certPath to "${found.tlsFolder}"`,
        );
    }
    return endpointOf(host, tls, sshOptions);
}

/**
 * The endpoint of one of Docker's contexts, as the provider reads it, and the folder of its certificates, if it has any.
 */
function readContext(context: Setting, folder: string): { host: Setting; tlsFolder: string | undefined } {
    const found = storedContexts(folder).find(({ name, host }) => name === context.value && host !== undefined);
    if (found?.host === undefined) {
        throw new Error(
            `${context.name}: "${context.value}" is not a Docker context in ${folder}, the only folder that the Docker provider reads: ` +
                `give one of ${
                    storedContexts(folder)
                        .map(({ name }) => name)
                        .join(", ") || "those that `docker context create` makes there"
                }, or unset it and set docker:host`,
        );
    }
    const host = { name: `the host of ${context.name} "${context.value}"`, value: found.host };
    return { host, tlsFolder: found.tlsFolder };
}

/** A context as Docker's client stores it. */
export interface StoredContext {
    name: string;
    host: string | undefined;
    /** Folder with its `ca.pem`, `cert.pem` and `key.pem`. Undefined if it has none. */
    tlsFolder: string | undefined;
}

/** Every context in a folder. Unreadable entries are skipped. */
export function storedContexts(folder: string): StoredContext[] {
    return listed(join(folder, "meta")).flatMap((id): StoredContext[] => {
        try {
            const meta = JSON.parse(readFileSync(join(folder, "meta", id, "meta.json"), "utf8")) as {
                Name?: string;
                Endpoints?: { docker?: { Host?: string } };
            };
            const tls = join(folder, "tls", id, "docker");
            const tlsFolder = listed(tls).includes("cert.pem") ? tls : undefined;
            return [{ name: meta.Name ?? "", host: meta.Endpoints?.docker?.Host, tlsFolder }];
        } catch {
            return [];
        }
    });
}

function listed(folder: string): string[] {
    try {
        return readdirSync(folder);
    } catch {
        return [];
    }
}

/** TLS files, chosen as the provider does: material has precedence over a folder, and both together are refused. */
function tlsOf(
    { ca, cert, key }: { ca?: Setting; cert?: Setting; key?: Setting },
    certPath: Setting | undefined,
): (EngineTls & { name: string }) | undefined {
    if (ca !== undefined || cert !== undefined || key !== undefined) {
        const names = [ca, cert, key].flatMap((setting) => setting?.name ?? []).join(" and ");
        if (ca === undefined || cert === undefined || key === undefined) {
            throw new Error(
                `${names}: docker:caMaterial, docker:certMaterial and docker:keyMaterial belong together: without all three the ` +
                    "Docker provider verifies no Docker daemon, or speaks no TLS at all. Set all of them, or docker:certPath alone",
            );
        }
        if (certPath !== undefined) {
            throw new Error(
                `${certPath.name}: "${certPath.value}" and ${cert.name} exclude each other: unset one of the two`,
            );
        }
        return { name: cert.name, ca: ca.value, cert: cert.value, key: key.value };
    }
    if (certPath === undefined) {
        return undefined;
    }
    const read = (file: string): string => {
        try {
            return readFileSync(join(certPath.value, file), "utf8");
        } catch (error) {
            throw new Error(
                `${certPath.name}: ${join(certPath.value, file)} can't be read (${(error as NodeJS.ErrnoException).code}): ` +
                    "give a folder with ca.pem, cert.pem and key.pem that this user may read",
                { cause: error },
            );
        }
    };
    return { name: certPath.name, ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
}

function parsed({ name, value }: Setting): URL {
    if (!URL.canParse(value) || !/^(unix|tcp|http|ssh):\/\/./.test(value)) {
        throw new Error(
            `${name}: "${value}" is not a Docker host: give unix:///var/run/docker.sock, tcp://docker.example.com:2376 ` +
                "(with docker:certPath) or ssh://docker.example.com",
        );
    }
    return new URL(value);
}

function endpointOf(host: Setting, tls: EngineTls | undefined, sshOptions: string[]): EngineEndpoint {
    const { name, value: url } = host;
    const { protocol, hostname, port, pathname, username, password, search } = parsed(host);
    if (protocol === "unix:") {
        return { kind: "socket", url, socketPath: url.slice("unix://".length) };
    }
    if (protocol === "ssh:") {
        if (password !== "" || search !== "") {
            throw new Error(
                `${name}: the ssh:// host has a password or a query, which Docker doesn't take: use a key, as in ssh://user@docker.example.com`,
            );
        }
        return { kind: "ssh", url, sshArguments: sshArguments(new URL(url), decodeURIComponent(username), sshOptions) };
    }
    if (port === "" || (pathname !== "" && pathname !== "/")) {
        throw new Error(
            `${name}: "${url}" is not allowed: give host and port, without a path, such as tcp://docker.example.com:2376`,
        );
    }
    return { kind: "tcp", url, host: withoutBrackets(hostname), port: Number(port), tls };
}

/** A hostname; an IPv6 address without the brackets that it has in a URL. */
export function withoutBrackets(hostname: string): string {
    return hostname.replace(/^\[|\]$/g, "");
}

/** The home folder that the provider uses: not `HOME`, but that of the user's system account, if there is one. */
function homeFolder(): string {
    try {
        return userInfo().homedir;
    } catch {
        return homedir();
    }
}

/** The arguments that Docker's own client passes to `ssh`, without prompts at a terminal that no one watches. */
function sshArguments({ hostname, port, pathname }: URL, user: string, options: string[]): string[] {
    const path = pathname === "/" ? "" : pathname;
    return [
        ...options,
        "-o",
        "ConnectTimeout=30",
        "-o",
        "BatchMode=yes",
        // If the host is gone, the connection ends within a minute. Without this ssh waits forever.
        "-o",
        "ServerAliveInterval=15",
        "-T",
        ...(user === "" ? [] : ["-l", user]),
        ...(port === "" ? [] : ["-p", port]),
        "--",
        withoutBrackets(hostname),
        "docker",
        ...(path === "" ? [] : ["--host", `unix://${path}`]),
        "system",
        "dial-stdio",
    ];
}
