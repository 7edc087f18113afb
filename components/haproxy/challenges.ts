import type { ChangingCertificate, FixedCertificate, FrontEndPeer, HaproxyConfigArgs } from "./args";
import { CHALLENGE_PATH, CHALLENGE_PORT, SELF_CHECK_PATH } from "../certificate/acmeScripts";
import { peerSections, peerServer, UNCHECKED } from "./peers";
import { section } from "./section";

const ACME_BACKEND = "acme";

/** The proxy itself answers requests that test whether a hostname leads to it. */
export function selfCheckRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    return "acmeAddress" in certificate
        ? [
              `http-request return status 200 content-type text/plain string "${certificate.selfCheck}" if { path ${SELF_CHECK_PATH} }`,
          ]
        : [];
}

/** HTTP-01 challenges (RFC 8555, section 8.3) arrive on port 80. */
export function challengeRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    return "acmeAddress" in certificate ? [`use_backend ${ACME_BACKEND}${isChallenge(certificate, " if")}`] : [];
}

/** A condition that is true for challenge requests. Empty if the certificate isn't obtained by ACME. */
export function isChallenge(certificate: FixedCertificate | ChangingCertificate, keyword: string): string {
    return "acmeAddress" in certificate ? `${keyword} { path_beg ${CHALLENGE_PATH} }` : "";
}

/** The ACME client of this front end. A process listens there only during a challenge. */
function clientServer({ acmeAddress }: ChangingCertificate): string {
    return `server acme ${acmeAddress}:${CHALLENGE_PORT} ${UNCHECKED}`;
}

export function challengeSections(args: HaproxyConfigArgs, certificate: ChangingCertificate): string[] {
    const { peers } = certificate;
    return peers === undefined
        ? [challengeBackend(certificate)]
        : [sharedChallenges(certificate, peers), ...peerSections(args, peers, clientServer(certificate))];
}

function challengeBackend(certificate: ChangingCertificate): string {
    return section(
        "Routing rule 12: the ACME client answers while it has a challenge, and nobody else.",
        `backend ${ACME_BACKEND}`,
        ["retries 0", "timeout connect 5s", "timeout server 10s", clientServer(certificate)],
    );
}

/** Any client of the front ends may have the challenge: each is asked in turn, and a refusal asks the next. */
function sharedChallenges(certificate: ChangingCertificate, peers: FrontEndPeer[]): string {
    return section(
        "Routing rule 12: of all front ends' ACME clients, the one that has a challenge answers.",
        `backend ${ACME_BACKEND}`,
        [
            "balance roundrobin",
            // Requests of other clients may take turns of this one.
            `retries ${3 * (peers.length + 1)}`,
            "retry-on conn-failure empty-response response-timeout 404 503",
            "timeout connect 500ms",
            "timeout server 3s",
            clientServer(certificate),
            ...peers.map(peerServer),
        ],
    );
}
