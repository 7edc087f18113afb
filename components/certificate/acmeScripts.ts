import { CURRENT } from "../naming/containerFiles";

/** Folder of the ACME client: accounts, keys and certificates as lego lays them out, and the notes below. */
export const ACME_DIRECTORY = "/var/lib/acme";

/** Folder with what was obtained and judged: the proxy reads it, through the link `current`. */
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

/** Longest time between two looks whether hostnames lead here, in seconds: it costs the authority nothing. */
const PREFLIGHT_SECONDS = 30;

/** A certificate that ends within these days is renewed, whatever the authority suggests: any one. */
const ALWAYS_DUE_DAYS = 36500;

const SAY = `say() { printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*"; }`;

/** A note is there as a whole or not at all. */
const NOTE = `note() { printf '%s\\n' "$2" > "$1.next" && mv "$1.next" "$1"; }`;

/**
 * Orders and renews, for as long as the container runs. Notes, beside lego's own files:
 *
 * - `obtained`: the wish that the certificate was obtained for; while it is the present one, nothing is ordered but renewals;
 * - `ready`: digest of the certificate and key that may be loaded, then that wish;
 * - `failures` and `last-failure`: how many attempts in a row have failed, and why the last one did;
 * - `retry-at`: when the next attempt may be, in seconds since 1970, how long that was to wait, then the wish that failed;
 * - `due`: the wish whose renewal was due and has failed. It stays due, though lego draws the moment anew at each run.
 */
export const CLIENT_SCRIPT = `set -u; umask 077; cd ${ACME_DIRECTORY} || exit 1
${SAY}
${NOTE}
read_note() { { read -r line < "$1"; } 2> /dev/null && printf %s "$line"; }
files=certificates/\${HOSTNAMES%% *}
wait_for() { sleep "$1" & wait $!; }
trap 'exit 0' TERM INT

# Each hostname has to lead to this proxy, by its port 80.
preflight() {
    for host in $HOSTNAMES; do
        address=$(getent hosts "$host" | { read -r first rest; printf %s "\${first-}"; })
        if [ -z "$address" ]; then
            echo "$host doesn't resolve: make a DNS record that leads to this host"; continue
        fi
        answer=$(wget -nv -t 1 -T 5 -O - "http://$host${SELF_CHECK_PATH}" 2> /tmp/asked | head -c 200)
        [ "$answer" = "$SELF_CHECK" ] ||
            echo "port 80 of $host ($address) isn't this proxy's: \${answer:-$(tail -n 1 /tmp/asked)}"
    done
}

# Leaves progress out.
reasons() { while read -r line; do case "$line" in *"[INFO]"*) ;; *) echo "$line" ;; esac; done; }

# Its output is only of interest where it fails.
attempt() {
    if [ "$(read_note obtained)" != "$WISH" ]; then command=run
    elif [ "$(read_note due)" = "$WISH" ]; then command="renew --days ${ALWAYS_DUE_DAYS} --no-random-sleep"
    else command="renew --dynamic --no-random-sleep"; fi
    (
        set -a; [ ! -e "$SECRETS/${ACME_SECRETS}" ] || . "$SECRETS/${ACME_SECRETS}"; set +a
        [ ! -e "$SECRETS/${ACME_TRUSTED}" ] || export LEGO_CA_CERTIFICATES="$SECRETS/${ACME_TRUSTED}" LEGO_CA_SYSTEM_CERT_POOL=true
        set -- --path ${ACME_DIRECTORY} --server "$DIRECTORY_URL" --accept-tos --key-type "$KEY_TYPE"
        set -- "$@" --http --http.port ":${CHALLENGE_PORT}" --cert.timeout 120
        [ -z "$EMAIL" ] || set -- "$@" --email "$EMAIL"
        [ -z "\${LEGO_EAB_KID-}" ] || set -- "$@" --eab
        for host in $HOSTNAMES; do set -- "$@" --domains "$host"; done
        exec lego "$@" $command
    ) > /tmp/attempt 2>&1
}

failed() { # SECONDS UNTIL THE NEXT ATTEMPT, WHY
    failures=$((failures + 1))
    note failures $failures
    note last-failure "attempt $failures failed: $(printf %s "$2" | tr '\\n' ' ' | tail -c 1000); the next one in $1 s"
    cat last-failure | { read -r line; say "$line"; }
}

succeeded() {
    digest=$(cat "$files.crt" "$files.key" | sha256sum)
    if [ "$(read_note ready)" != "\${digest%% *} $WISH" ]; then
        note obtained "$WISH"
        note ready "\${digest%% *} $WISH"
        say "obtained a certificate for $HOSTNAMES"
    fi
    failures=0
    note failures 0
    rm -f last-failure retry-at due
}

failures=$(read_note failures); failures=\${failures:-0}
say "looking after the certificate for $HOSTNAMES by $DIRECTORY_URL"
while :; do
    at=0; waited=0; wish=
    { read -r at waited wish < retry-at; } 2> /dev/null
    [ "$wish" = "$WISH" ] || { at=0; waited=0; }
    if [ "$at" -gt "$(date +%s)" ]; then
        wait_for 1; continue
    fi
    wrong=
    [ "$PREFLIGHT" = false ] || wrong=$(preflight)
    if [ -n "$wrong" ]; then
        delay=$((RETRY_INTERVAL < ${PREFLIGHT_SECONDS} ? RETRY_INTERVAL : ${PREFLIGHT_SECONDS}))
        failed $delay "$wrong. Nothing was asked of the authority"
        wait_for $delay
    elif attempt; then
        succeeded
        # A tenth more or less, so that not all the world asks at once.
        random=$(od -An -N2 -tu2 /dev/urandom)
        wait_for $((CHECK_INTERVAL - CHECK_INTERVAL / 10 + random % (CHECK_INTERVAL / 5 + 1)))
    else
        delay=$((waited > 0 ? waited * 2 : RETRY_INTERVAL))
        [ "$delay" -le ${LONGEST_RETRY_SECONDS} ] || delay=${LONGEST_RETRY_SECONDS}
        cat /tmp/attempt
        note retry-at "$(($(date +%s) + delay)) $delay $WISH"
        failed $delay "$(reasons < /tmp/attempt | tail -n 3)"
        case "$(cat /tmp/attempt)" in *"Trying renewal"*) note due "$WISH" ;; esac
        # What is lost is made anew by the next attempt: an account that the authority has forgotten, or of another address,
        # which \`renew\` doesn't register, and a broken file.
        case "$(cat /tmp/attempt)" in
            *:accountDoesNotExist*) rm -rf accounts obtained ;;
            *"is not registered"* | *"loading the certificate"*) rm -f obtained ;;
        esac
    fi
done`;

/**
 * Loads what the client has obtained: judges it with the whole configuration, moves one link, reloads. What is refused is
 * said once, and the former one stays.
 *
 * @param configuration Folder with haproxy.cfg.
 * @param reload Shell command that has the proxy load its files anew, and prints its answer.
 * @param statsSocket Socket of the proxy's runtime API.
 */
export function deployScript(configuration: string, reload: string, statsSocket: string): string {
    return `set -u; umask 077; cd ${CERTIFICATE_DIRECTORY} || exit 1
${SAY}
${NOTE}
read_note() { { read -r line < "$1"; } 2> /dev/null && printf %s "$line"; }
# The image's own stop signal is HAProxy's: USR1.
trap 'exit 0' TERM INT USR1
files=${ACME_DIRECTORY}/certificates/\${HOSTNAMES%% *}

reload() {
${reload}
}

# Prints what stands against a folder's certificate.
judge() {
    for host in $HOSTNAMES; do
        case "$(openssl x509 -in "$1/certificate.pem" -noout -checkhost "$host" 2>&1)" in
            *"does match"*) ;; *) echo "it doesn't cover $host"; return ;;
        esac
    done
    openssl x509 -in "$1/certificate.pem" -noout -checkend 0 > /tmp/judged 2>&1 || { cat /tmp/judged; return; }
    perl -pe "s{${CERTIFICATE_DIRECTORY}/${CURRENT}/}{${CERTIFICATE_DIRECTORY}/$1/}g" ${configuration}/haproxy.cfg > /tmp/judged.cfg
    haproxy -c -f /tmp/judged.cfg > /tmp/judged 2>&1 || cat /tmp/judged
}

point() { ln -sfn "$1" next && mv -T next ${CURRENT}; }

deploy() { # DIGEST, WISH
    next=$(mktemp -d version.XXXXXXXX)
    cat "$files.crt" "$files.key" > "$next/certificate.pem"
    digest=$(sha256sum < "$next/certificate.pem")
    if [ "\${digest%% *}" != "$1" ]; then rm -r "$next"; tried=; return; fi
    not_after=$(openssl x509 -in "$next/certificate.pem" -noout -enddate 2> /dev/null)
    printf 'not_after %s\\nrenewal_failures 0\\n' "$(date -d "\${not_after#*=}" +%s)" > "$next/values"
    note "$next/deployed" "$1 $2"
    wrong=$(judge "$next")
    if [ -n "$wrong" ]; then
        say "refused, the former one stays: $wrong"
        rm -r "$next"; return
    fi
    former=$(readlink ${CURRENT})
    point "$next"
    if answer=$(reload 2>&1); then
        say "loaded the certificate that is valid until \${not_after#*=}"
        for old in version.*; do [ "$old" = "$next" ] || rm -rf "$old"; done
    else
        point "$former"; rm -r "$next"
        say "not loaded, the former one stays: $answer"
    fi
}

# What the metrics say of failures changes without a reload.
publish() { # FAILURES
    perl -pi -e "s/^renewal_failures .*/renewal_failures $1/" ${CURRENT}/values
    perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit; print $s "$ARGV[1]\\n"; my @l = <$s>' \\
        ${statsSocket} "set map ${VALUES_FILE} renewal_failures $1"
}

tried=; published=
while :; do
    ready=$(read_note ${ACME_DIRECTORY}/ready)
    # What was obtained for a former wish doesn't take the place of what is served.
    if [ "\${ready#* }" = "$WISH" ] && [ "$ready" != "$tried" ] && [ "$ready" != "$(read_note ${CURRENT}/deployed)" ]; then
        tried=$ready
        deploy "\${ready%% *}" "\${ready#* }"
        published=
    fi
    failures=$(read_note ${ACME_DIRECTORY}/failures); failures=\${failures:-0}
    if [ "$failures" != "$published" ]; then publish "$failures"; published=$failures; fi
    sleep 1 & wait $!
done`;
}

/** Healthy when the certificate in force was obtained for the present wish; else it prints what is known. */
export const DEPLOYED_CHECK = [
    `deployed=$(cat ${CERTIFICATE_DIRECTORY}/${CURRENT}/deployed 2> /dev/null)`,
    `[ "\${deployed#* }" = "$WISH" ] && exit 0`,
    `cat ${ACME_DIRECTORY}/last-failure 2> /dev/null || echo "no certificate was obtained yet"`,
    "exit 1",
].join("\n");
