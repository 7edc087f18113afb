import { withoutBrackets, type EngineEndpoint, type SettingNames } from "./engineEndpoint";

/** The known details of a failed connection. */
interface Failure {
    code?: string;
    message?: string;
}

const UNREACHABLE = "that host can't be reached: check its address, its route and firewalls";

/**
 * What a user can do about an engine that doesn't answer, depending on the cause.
 *
 * @param names How its settings are named. Default: as those of the Docker provider, which the environment can replace.
 */
export function remedy(error: unknown, endpoint: EngineEndpoint, names?: SettingNames): string {
    const { code = "", message = "" } = error as Failure;
    const nameIt =
        names === undefined
            ? "or name the Docker daemon by DOCKER_HOST or the config key docker:host"
            : `or correct ${names.host}`;
    const certPath = names?.certPath ?? "docker:certPath";
    const orVariable = (text: string) => (names === undefined ? text : "");
    if (endpoint.kind === "ssh") {
        return sshRemedy(code, message, endpoint.url);
    }
    const secure = endpoint.kind === "tcp" && endpoint.tls !== undefined;
    switch (code) {
        case "EACCES":
        case "EPERM":
            return "this user may not open the socket: sudo usermod -aG docker $USER, then log in again";
        case "ENOENT":
            return `there is no such socket: start Docker (sudo systemctl start docker), ${nameIt}`;
        case "ECONNREFUSED":
            return `nothing listens there: start Docker on that host and compare the address, ${nameIt}`;
        case "ENOTFOUND":
        case "EAI_AGAIN":
            return `that hostname has no address: correct it, ${nameIt}`;
        case "ETIMEDOUT":
            return endpoint.kind === "socket"
                ? "it accepts connections and answers nothing: it may still be starting, its log says more"
                : UNREACHABLE;
        case "EHOSTUNREACH":
        case "ENETUNREACH":
            return UNREACHABLE;
    }
    if (/HTTP request to an HTTPS server/.test(message)) {
        return `it speaks TLS: set ${certPath}${orVariable(" (or DOCKER_CERT_PATH)")} to a folder with ca.pem, cert.pem and key.pem`;
    }
    if (/ALERT|alert|handshake/.test(`${code} ${message}`) || (secure && code === "ECONNRESET")) {
        return "it rejects the client certificate: use a cert.pem that its --tlscacert has signed, with its key.pem";
    }
    if (/WRONG_VERSION_NUMBER|wrong version number/.test(`${code} ${message}`)) {
        return `it doesn't speak TLS there: give its TLS port (2376 by custom), or unset ${certPath} and DOCKER_CERT_PATH`;
    }
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
        return "its certificate is for other names: connect by a name that it has";
    }
    if (code === "CERT_HAS_EXPIRED") {
        return "its certificate has expired: give the Docker daemon a new one";
    }
    if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
        return `its certificate isn't signed by the ca.pem of ${certPath}: give the one that signed it`;
    }
    if (/^ERR_(OSSL|SSL)/.test(code)) {
        return "a certificate or key can't be read: give PEM files, the key without a passphrase";
    }
    return `start Docker, ${nameIt}`;
}

function sshRemedy(code: string, message: string, url: string): string {
    const { hostname: host, username, port } = new URL(url);
    const hostname = withoutBrackets(host);
    const by = `ssh ${port === "" ? "" : `-p ${port} `}${username === "" ? "" : `${username}@`}${hostname}`;
    if (code === "ENOENT") {
        return "there is no ssh client on this machine: install one (on Debian and Ubuntu openssh-client)";
    }
    if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(message)) {
        return `that host's key has changed: find out why; if the new one is correct, ssh-keygen -R ${hostname}, then ${by}`;
    }
    if (/Host key verification failed/.test(message)) {
        return `that host's key isn't known: connect once with ${by}, compare the fingerprint and accept it`;
    }
    if (/Permission denied \(/.test(message)) {
        return `that host accepts none of your keys: load the right one (ssh-add), or name it in ~/.ssh/config, until ${by} works without a prompt`;
    }
    if (/permission denied.*docker|docker.*permission denied/is.test(message)) {
        return "that user may not use Docker there: sudo usermod -aG docker USER on that host, then wait a minute: a connection that is still open has the former groups";
    }
    if (/docker.*not found|not found.*docker/is.test(message)) {
        return "there is no docker client on that host: install one, since ssh:// runs `docker system dial-stdio` there";
    }
    return `run ${by} docker system dial-stdio until it waits without an error`;
}
