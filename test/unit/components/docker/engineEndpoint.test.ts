import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remedy } from "../../../../components/docker/engineRemedy";
import { engineEndpoint, type EngineEndpoint, type Environment } from "../../../../components/docker/engineEndpoint";
import { adoptContext, adoptHosts } from "../../../../tools/stack/namedEngine";

let folder: string;

/** Writes a context in the format of Docker's client. */
function writeContext(name: string, host: string, tls = false): void {
    mkdirSync(join(folder, "contexts/meta", name), { recursive: true });
    const meta = { Name: name, Endpoints: { docker: { Host: host } } };
    writeFileSync(join(folder, "contexts/meta", name, "meta.json"), JSON.stringify(meta));
    if (tls) {
        writeCertificates(join(folder, "contexts/tls", name, "docker"));
    }
}

function writeCertificates(path: string): string {
    mkdirSync(path, { recursive: true });
    ["ca", "cert", "key"].forEach((file) => writeFileSync(join(path, `${file}.pem`), `the ${file}`));
    return path;
}

const endpointOf = (
    settings: Parameters<typeof engineEndpoint>[0],
    environment: { [name: string]: string } = {},
): EngineEndpoint => engineEndpoint(settings, environment, join(folder, "contexts"));

beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "engine-endpoint-"));
    writeContext("other", "tcp://other.example.com:2375");
    writeContext("secure", "tcp://secure.example.com:2376", true);
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("the engine is the provider's", () => {
    const ENVIRONMENT = { DOCKER_HOST: "tcp://environment:2375" };

    test("by its precedence: dockerHost, context, host, DOCKER_HOST, the default socket", () => {
        const everything = { givenHost: "tcp://given:1", context: "other", host: "tcp://host:2" };
        expect(endpointOf(everything, ENVIRONMENT).url).toBe("tcp://given:1");
        expect(endpointOf({ ...everything, givenHost: undefined }, ENVIRONMENT).url).toBe(
            "tcp://other.example.com:2375",
        );
        expect(endpointOf({ host: "tcp://host:2" }, { ...ENVIRONMENT, DOCKER_CONTEXT: "other" }).url).toBe(
            "tcp://other.example.com:2375",
        );
        expect(endpointOf({ host: "tcp://host:2" }, ENVIRONMENT).url).toBe("tcp://host:2");
        expect(endpointOf({}, ENVIRONMENT).url).toBe("tcp://environment:2375");
        expect(endpointOf({}, { DOCKER_HOST: "" })).toEqual({
            kind: "socket",
            url: "unix:///var/run/docker.sock",
            socketPath: "/var/run/docker.sock",
        });
    });

    test("with certificates from a folder, or from the config itself", () => {
        const certPath = writeCertificates(join(folder, "certificates"));
        const tls = { ca: "the ca", cert: "the cert", key: "the key" };
        expect(endpointOf({ host: "tcp://host:2376", certPath })).toMatchObject({ kind: "tcp", tls });
        expect(endpointOf({ host: "tcp://host:2376" }, { DOCKER_CERT_PATH: certPath })).toMatchObject({ tls });
        expect(endpointOf({ context: "secure", certPath })).toMatchObject({ host: "secure.example.com", tls });
        const material = { caMaterial: "the ca", certMaterial: "the cert", keyMaterial: "the key" };
        expect(endpointOf({ host: "tcp://host:2376", ...material })).toMatchObject({ tls });
        expect(endpointOf({ host: "tcp://host:2375" }, { DOCKER_TLS_VERIFY: "1" })).not.toHaveProperty("tls.ca");
    });

    test("through the ssh client, called as Docker's own client does", () => {
        const sshArguments = (host: string, sshOpts?: string[]) => {
            const found = endpointOf({ host, sshOpts });
            return found.kind === "ssh" ? found.sshArguments.join(" ") : found.kind;
        };
        const options = "-o ConnectTimeout=30 -o BatchMode=yes -o ServerAliveInterval=15 -T";
        expect(sshArguments("ssh://docker.example.com")).toBe(
            `${options} -- docker.example.com docker system dial-stdio`,
        );
        expect(sshArguments("ssh://operator@host:2222/run/docker.sock", ["-i", "key"])).toBe(
            `-i key ${options} -l operator -p 2222 -- host docker --host unix:///run/docker.sock system dial-stdio`,
        );
    });
});

test.each([
    ["docker.example.com:2375", {}, /^docker:host: "docker.example.com:2375" is not a Docker host: give unix:\/\/.*/],
    ["https://docker.example.com:2376", {}, /is not a Docker host/],
    ["tcp://docker.example.com", {}, /is not allowed: give host and port/],
    ["tcp://docker.example.com:2375/prefix", {}, /is not allowed: give host and port, without a path/],
    ["ssh://user:secret@host", {}, /has a password or a query/],
    ["tcp://host:2376", { certPath: "/no/such" }, /docker:certPath: \/no\/such\/ca.pem can't be read \(ENOENT\)/],
    ["tcp://host:2376", { caMaterial: "ca" }, /docker:caMaterial: .* belong together/],
    ["tcp://host:2376", { certMaterial: "c", keyMaterial: "k" }, /verifies no Docker daemon/],
    [undefined, { context: "none" }, /^docker:context: "none" is not a Docker context .*give one of other, secure/],
    [undefined, { context: "secure" }, /has TLS certificates.*: set docker:certPath to ".*\/tls\/secure\/docker"/],
])("unsupported endpoints are refused with a remedy: %s %j", (host, settings, message) => {
    expect(() => endpointOf({ host, ...settings })).toThrow(message);
    expect(() => endpointOf({ host, ...settings })).not.toThrow(/user:secret/);
});

test("a TLS folder for an engine without TCP is refused, because the provider would use TLS for it", () => {
    const certPath = writeCertificates(join(folder, "certificates"));
    expect(() => endpointOf({}, { DOCKER_CERT_PATH: certPath })).toThrow(/unset DOCKER_CERT_PATH/);
    expect(() => endpointOf({ host: "ssh://host", certPath })).toThrow(
        /"ssh:\/\/host" can't be used with docker:certPath/,
    );
    const names = { host: "hosts[1].dockerHost", certPath: "hosts[1].certPath" };
    expect(() => endpointOf({ host: "ssh://host", certPath, names })).toThrow(
        /^hosts\[1\]\.dockerHost: "ssh:\/\/host" can't be used with hosts\[1\]\.certPath/,
    );
});

describe("Docker's context, for the programs that npm run starts", () => {
    const adopted = (environment: { [name: string]: string }, current = "") => {
        writeFileSync(join(folder, "config.json"), JSON.stringify({ currentContext: current }));
        const result = { ...environment, DOCKER_CONFIG: folder };
        adoptContext(result);
        return result;
    };

    test("is DOCKER_CONTEXT's, else the current one if DOCKER_HOST isn't set, with its certificates", () => {
        expect(adopted({}, "other")).toMatchObject({ DOCKER_HOST: "tcp://other.example.com:2375" });
        expect(adopted({}, "secure")).toMatchObject({
            DOCKER_HOST: "tcp://secure.example.com:2376",
            DOCKER_CERT_PATH: join(folder, "contexts/tls/secure/docker"),
        });
        expect(adopted({ DOCKER_HOST: "tcp://host:2" }, "other")).toMatchObject({ DOCKER_HOST: "tcp://host:2" });
        const named = adopted({ DOCKER_HOST: "tcp://host:2", DOCKER_CONTEXT: "other" });
        expect(named).toMatchObject({ DOCKER_HOST: "tcp://other.example.com:2375" });
        expect(named).not.toHaveProperty("DOCKER_CONTEXT");
        expect(adopted({}, "default")).not.toHaveProperty("DOCKER_HOST");
    });

    test("is refused if no context has that name", () => {
        expect(() => adopted({ DOCKER_CONTEXT: "gone" })).toThrow('there is no Docker context "gone"');
    });
});

test("of a stack with hosts, the CLI uses no context, so that its certificates are for none of them", () => {
    const host = { name: "a", dockerHost: "unix:///a.sock", address: "10.0.0.1" };
    const environment: Environment = { DOCKER_CONTEXT: "secure", DOCKER_CONFIG: folder };
    adoptHosts([host], environment);
    expect(environment).toEqual({ DOCKER_CONFIG: folder });
    adoptHosts([host, { ...host, dockerHost: "ssh://b" }], environment);
    expect(environment).toEqual({ DOCKER_CONFIG: folder, PULUMI_PARALLEL: "5" });
});

describe("an engine that doesn't answer has a specific remedy", () => {
    const SOCKET: EngineEndpoint = { kind: "socket", url: "unix:///run/docker.sock", socketPath: "/run/docker.sock" };
    const TCP: EngineEndpoint = { kind: "tcp", url: "tcp://host:2376", host: "host", port: 2376 };
    const SSH: EngineEndpoint = { kind: "ssh", url: "ssh://operator@host", sshArguments: [] };

    test.each([
        [SOCKET, { code: "EACCES" }, /usermod -aG docker/],
        [SOCKET, { code: "ENOENT" }, /start Docker/],
        [TCP, { code: "ECONNREFUSED" }, /nothing listens there/],
        [TCP, { code: "ENOTFOUND" }, /has no address/],
        [TCP, { message: "Client sent an HTTP request to an HTTPS server." }, /set docker:certPath/],
        [TCP, { code: "SELF_SIGNED_CERT_IN_CHAIN" }, /isn't signed by the ca.pem/],
        [TCP, { code: "ERR_TLS_CERT_ALTNAME_INVALID" }, /for other names/],
        [TCP, { code: "EPROTO", message: "ssl3_get_record:wrong version number" }, /doesn't speak TLS/],
        [SSH, { code: "ENOENT" }, /install one/],
        [SSH, { message: "ssh: Host key verification failed." }, /connect once with ssh operator@host/],
        [SSH, { message: "operator@host: Permission denied (publickey)." }, /accepts none of your keys/],
        [SSH, { message: "permission denied while trying to connect to the docker socket" }, /usermod .*wait a minute/],
        [SSH, { message: "bash: docker: command not found" }, /no docker client on that host/],
    ])("%j %j", (endpoint, failure, expected) => {
        expect(remedy(failure, endpoint)).toMatch(expected);
    });

    const NAMES = { host: "hosts[1].dockerHost", certPath: "hosts[1].certPath" };

    test.each([
        [SOCKET, { code: "ENOENT" }, /, or correct hosts\[1\]\.dockerHost$/],
        [TCP, { code: "ECONNREFUSED" }, /, or correct hosts\[1\]\.dockerHost$/],
        [TCP, { code: "ENOTFOUND" }, /, or correct hosts\[1\]\.dockerHost$/],
        [TCP, { message: "Client sent an HTTP request to an HTTPS server." }, /: set hosts\[1\]\.certPath to a folder/],
        [TCP, { code: "SELF_SIGNED_CERT_IN_CHAIN" }, /ca\.pem of hosts\[1\]\.certPath/],
        [TCP, { code: "EPROTO", message: "ssl3_get_record:wrong version number" }, /unset hosts\[1\]\.certPath and/],
    ])("which names the settings of a host in a list, and no others: %j %j", (endpoint, failure, expected) => {
        const advice = remedy(failure, endpoint, NAMES);
        expect(advice).toMatch(expected);
        expect(advice).not.toMatch(/DOCKER_HOST|docker:|dockerHost arg/);
    });
});
