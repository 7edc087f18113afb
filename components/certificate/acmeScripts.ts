import { script } from "../engine/script";
import { CURRENT } from "../naming/containerFiles";

/** Folder of the ACME client: accounts, keys and certificates as lego lays them out, and the notes below. */
export const ACME_DIRECTORY = "/var/lib/acme";

/** Folder with what was obtained and checked: the proxy reads it, through the link `current`. */
export const CERTIFICATE_DIRECTORY = "/run/certificate";

/** The PEM file that the proxy loads. */
export const CERTIFICATE_FILE = `${CERTIFICATE_DIRECTORY}/${CURRENT}/certificate.pem`;

/** What the metrics say, as a map of HAProxy's. */
export const VALUES_FILE = `${CERTIFICATE_DIRECTORY}/${CURRENT}/values`;

/** Port on which the ACME client answers challenges, on the public network. */
export const CHALLENGE_PORT = 8402;

/** Folder of challenges (RFC 8555, section 8.3). */
export const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** Files with the ACME client's secrets, and with what it trusts, beside the proxy's configuration. */
export const ACME_SECRETS = "acme.environment";
export const ACME_TRUSTED = "acme-ca.pem";

/** Path by which the proxy is recognised from outside. */
export const SELF_CHECK_PATH = `${CHALLENGE_PATH}this-proxy`;

/** Longest time from a failed order to the next attempt, in seconds. */
const LONGEST_RETRY_SECONDS = 6 * 3600;

/** Longest time between two looks whether hostnames lead here, in seconds: it costs the CA nothing. */
const PREFLIGHT_SECONDS = 30;

/** A certificate that ends within these days is renewed, whatever the CA suggests: any one. */
const ALWAYS_DUE_DAYS = 36500;

/** Variables of {@link CLIENT_SCRIPT} that no setting changes. */
export const CLIENT_VARIABLES = {
    ACME_DIRECTORY,
    ACME_SECRETS,
    ACME_TRUSTED,
    ALWAYS_DUE_DAYS: String(ALWAYS_DUE_DAYS),
    CHALLENGE_PORT: String(CHALLENGE_PORT),
    LONGEST_RETRY_SECONDS: String(LONGEST_RETRY_SECONDS),
    PREFLIGHT_SECONDS: String(PREFLIGHT_SECONDS),
    SELF_CHECK_PATH,
};

/** Variables of {@link LOADER_SCRIPT} and {@link DEPLOYED_CHECK} that no setting changes. */
export const LOADER_VARIABLES = { ACME_DIRECTORY, CERTIFICATE_DIRECTORY, CURRENT, VALUES_FILE };

/** Orders and renews, for as long as the container runs. */
export const CLIENT_SCRIPT = scriptAfterNotes("obtainCertificate.sh");

/** Loads what the client has obtained, for as long as the container runs. */
export const LOADER_SCRIPT = scriptAfterNotes("loadCertificate.sh");

/** Healthy when the certificate in force was obtained for the order in force; else it prints what is known. */
export const DEPLOYED_CHECK = script(__dirname, "isDeployed.sh");

function scriptAfterNotes(name: string): string {
    return [script(__dirname, "notes.sh"), script(__dirname, name)].join("\n");
}
