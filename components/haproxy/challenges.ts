import type { ChangingCertificate, FixedCertificate } from "./args";
import { CHALLENGE_PATH, CHALLENGE_PORT, SELF_CHECK_PATH } from "../certificate/acmeScripts";
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

export function challengeBackend({ acmeAddress }: ChangingCertificate): string {
    return section(
        "Routing rule 12: the ACME client answers while it has a challenge, and nobody else.",
        `backend ${ACME_BACKEND}`,
        [
            "retries 0",
            "timeout connect 5s",
            "timeout server 10s",
            // A process listens there only during a challenge.
            `server acme ${acmeAddress}:${CHALLENGE_PORT} no-check init-state fully-up`,
        ],
    );
}
