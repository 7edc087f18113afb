import type { ChangingCertificate, FixedCertificate, ProxyPeer, HaproxyConfigArgs, HttpChallenges } from "./args";
import { CHALLENGE_PATH, CHALLENGE_PORT, SELF_CHECK_PATH } from "../certificate/acmeScripts";
import { peerSections, peerServer, UNCHECKED } from "./peers";
import { section } from "./section";

const ACME_BACKEND = "acme";

/** Interval in which proxies ask each other whether their ACME clients order, in seconds. An order waits for two (takeTurns.sh). */
const ORDER_CHECK_SECONDS = 3;

/** The HTTP-01 challenges of a certificate. Undefined if it is obtained in another way. */
function challengesOf(certificate: FixedCertificate | ChangingCertificate): HttpChallenges | undefined {
    return "file" in certificate ? undefined : certificate.challenges;
}

/** The proxy itself answers requests that test whether a hostname leads to it. */
export function selfCheckRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    const challenges = challengesOf(certificate);
    return challenges === undefined
        ? []
        : [
              `http-request return status 200 content-type text/plain string "${challenges.selfCheck}" if { path ${SELF_CHECK_PATH} }`,
          ];
}

/** HTTP-01 challenges (RFC 8555, section 8.3) arrive on port 80. */
export function challengeRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    return challengesOf(certificate) === undefined
        ? []
        : [`use_backend ${ACME_BACKEND}${isChallenge(certificate, " if")}`];
}

/** A condition that is true for challenge requests. Empty if the certificate isn't obtained by HTTP-01. */
export function isChallenge(certificate: FixedCertificate | ChangingCertificate, keyword: string): string {
    return challengesOf(certificate) === undefined ? "" : `${keyword} { path_beg ${CHALLENGE_PATH} }`;
}

/** The ACME client of this proxy. A process listens there only during a challenge. */
function clientServer({ acmeAddress }: HttpChallenges): string {
    return `server acme ${acmeAddress}:${CHALLENGE_PORT} ${UNCHECKED}`;
}

/** The sections that a certificate by ACME needs: for its challenges, and for the proxies that share it. */
export function renewalSections(args: HaproxyConfigArgs, { challenges, peers }: ChangingCertificate): string[] {
    const client = challenges && clientServer(challenges);
    if (peers === undefined) {
        return client === undefined ? [] : [challengeBackend(client)];
    }
    return [...(client === undefined ? [] : [sharedChallenges(client, peers)]), ...peerSections(args, peers, client)];
}

function challengeBackend(client: string): string {
    return section(
        "Routing rule 12: the ACME client answers while it has a challenge, and nobody else.",
        `backend ${ACME_BACKEND}`,
        ["retries 0", "timeout connect 5s", "timeout server 10s", client],
    );
}

/**
 * The client of any proxy may have the challenge. That of this one is asked, and each that says of itself that it orders:
 * the path `/state` of exchangeCertificate.pl. At most one orders at a time, or two if the first has lost its turn.
 */
function sharedChallenges(client: string, peers: ProxyPeer[]): string {
    return section(
        "Routing rule 12: of all proxies' ACME clients, the one that has a challenge answers.",
        `backend ${ACME_BACKEND}`,
        [
            "balance roundrobin",
            // Requests of other clients may take turns of this one.
            "retries 5",
            "retry-on conn-failure empty-response response-timeout 404 503",
            "timeout connect 500ms",
            "timeout server 3s",
            "option httpchk",
            "http-check send meth GET uri /state ver HTTP/1.1 hdr Host peer",
            "http-check expect rstring (^|\\n)busy\\ 1\\n",
            client,
            ...peers.map((peer) =>
                peerServer(peer, `check inter ${ORDER_CHECK_SECONDS}s fall 1 rise 1 init-state fully-down`),
            ),
        ],
    );
}
