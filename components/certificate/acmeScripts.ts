import { script } from "../docker/script";
import { CURRENT } from "../naming/containerFiles";

/**
 * Folder of the ACME client: accounts, keys and certificates in lego's layout, and the notes that obtainCertificate.sh
 * describes.
 */
export const ACME_DIRECTORY = "/var/lib/acme";

/** Folder with the obtained and checked certificates. The proxy reads it through the link `current`. */
export const CERTIFICATE_DIRECTORY = "/run/certificate";

/** The PEM file that the proxy loads. */
export const CERTIFICATE_FILE = `${CERTIFICATE_DIRECTORY}/${CURRENT}/certificate.pem`;

/** Values of the certificate's metrics, as an HAProxy map file. */
export const VALUES_FILE = `${CERTIFICATE_DIRECTORY}/${CURRENT}/values`;

/** Port on which the ACME client answers challenges, on the public network. */
export const CHALLENGE_PORT = 8402;

/** URL path of challenges (RFC 8555, section 8.3). */
export const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/**
 * Files in the same folder as the proxy's configuration: the ACME client's secrets, and the CA certificates that it trusts.
 */
export const ACME_SECRETS = "acme.environment";
export const ACME_TRUSTED = "acme-ca.pem";

/** Variable in {@link ACME_SECRETS} with the texts that are removed from the ACME client's messages, one on each line. */
export const TEXTS_TO_REMOVE = "ACME_TEXTS_TO_REMOVE";

/**
 * The key and certificate with which the proxies of a store authenticate each other, in the volume of the served certificate.
 * The configuration needs the same path in all containers that check it.
 */
export const PEERS_FILE = `${CERTIFICATE_DIRECTORY}/peers.pem`;

/** Name of that file in the same folder as the proxy's configuration, from which it is copied. */
export const PEERS_CONFIGURATION_FILE = "peers.pem";

/** URL path by which the proxy is recognised from outside. */
export const SELF_CHECK_PATH = `${CHALLENGE_PATH}this-proxy`;

/** Longest time from a failed order to the next attempt, in seconds. */
const LONGEST_RETRY_SECONDS = 6 * 3600;

/** Longest time between two checks whether hostnames lead to this proxy, in seconds. The checks don't involve the CA. */
const PREFLIGHT_SECONDS = 30;

/**
 * A certificate that expires within this many days is renewed, whatever the CA suggests. The value is large enough to
 * include every certificate.
 */
const ALWAYS_DUE_DAYS = 36500;

/** Variables of {@link CLIENT_SCRIPT} that are independent of all settings. */
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

/** Time between two requests to another proxy for its state, in seconds. */
const EXCHANGE_SECONDS = 2;

/**
 * Time after which a proxy that doesn't answer loses its turn to order, in seconds: a proxy that is replaced, or a host
 * that reboots quickly, keeps it.
 */
const SILENCE_SECONDS = 60;

/** Variables of {@link EXCHANGE_SCRIPT} that are independent of all settings. */
export const EXCHANGE_VARIABLES = {
    ACME_DIRECTORY,
    INTERVAL_SECONDS: String(EXCHANGE_SECONDS),
    SILENCE_SECONDS: String(SILENCE_SECONDS),
};

/** Variables of {@link LOADER_SCRIPT} and {@link DEPLOYED_CHECK} that are independent of all settings. */
export const LOADER_VARIABLES = { ACME_DIRECTORY, CERTIFICATE_DIRECTORY, CURRENT, VALUES_FILE };

/** Orders and renews certificates as long as the container runs. */
export const CLIENT_SCRIPT = joined("notes.sh", "orderCertificate.sh", "obtainCertificate.sh");

/** {@link CLIENT_SCRIPT} of one of several proxies: orders in its turn, and takes over what others have obtained. */
export const CLIENT_IN_TURN_SCRIPT = joined("notes.sh", "orderCertificate.sh", "takeTurns.sh", "obtainCertificate.sh");

/** Loads the certificates that the client has obtained, as long as the container runs. */
export const LOADER_SCRIPT = joined("notes.sh", "loadCertificate.sh");

/** Exchanges the certificate with the other proxies, as long as the container runs. A Perl program. */
export const EXCHANGE_SCRIPT = script(__dirname, "exchangeCertificate.pl");

/** Healthy if the served certificate was obtained for the current order. Otherwise it prints the last known failure. */
export const DEPLOYED_CHECK = script(__dirname, "isDeployed.sh");

function joined(...names: string[]): string {
    return names.map((name) => script(__dirname, name)).join("\n");
}
