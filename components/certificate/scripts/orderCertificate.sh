# Functions that order and renew a certificate by ACME. This script is appended to notes.sh, and followed by obtainCertificate.sh.
#
# ACME_DIRECTORY         folder of accounts, keys and certificates in lego's layout, and of the notes below
# HOSTNAMES              names that the certificate must cover, separated by spaces
# DIRECTORY_URL, EMAIL, KEY_TYPE   values for lego; EMAIL may be empty
# SECRETS                folder with the optional files ACME_SECRETS (variables) and ACME_TRUSTED (CAs). The variable
#                        ACME_TEXTS_TO_REMOVE in the first one has texts that must not appear in messages, one on each line
# CHALLENGE_PORT         port on which HTTP-01 challenges are answered
# DNS_PROVIDER           lego's code of the DNS provider for DNS-01 challenges; empty: HTTP-01
# PROPAGATION_WAIT       seconds from the creation of TXT records until the CA is asked; empty: until all name servers have them
# PREFLIGHT              false: hostnames aren't checked before an order
# SELF_CHECK, SELF_CHECK_PATH   response of the proxy, and the URL path for it
# CHECK_INTERVAL, RETRY_INTERVAL, LONGEST_RETRY_SECONDS, PREFLIGHT_SECONDS   in seconds
# ALWAYS_DUE_DAYS        a certificate that expires within this many days is renewed, whatever the CA suggests; covers all of them
# ORDER                  the order that the certificate is obtained for
#
# Notes (files in ACME_DIRECTORY, in addition to lego's own):
# obtained    the ORDER that the certificate was obtained for; while it equals the current one, only renewals are ordered
# ready       digest of the certificate and key that may be loaded, then that ORDER
# failures, last-failure   number of failed attempts in a row, and the reason of the last failure
# retry-at    earliest time of the next attempt in seconds since 1970, the length of the wait, then what `purpose` prints for the order
#             that failed: a changed one is tried at once
# due         the ORDER whose renewal was due and failed. It stays due, although lego picks a new random time at each run
set -u; umask 077; cd "$ACME_DIRECTORY" || exit 1
files=certificates/${HOSTNAMES%% *}
wait_for() { sleep "$1" & wait $!; }
trap 'exit 0' TERM INT

# Checks that port 80 of each hostname leads to this proxy.
preflight() {
    for host in $HOSTNAMES; do
        address=$(getent hosts "$host" | { read -r first rest; printf %s "${first-}"; })
        if [ -z "$address" ]; then
            echo "$host doesn't resolve: create a DNS record with the address of this proxy's host"; continue
        fi
        answer=$(wget -nv -t 1 -T 5 -O - "http://$host$SELF_CHECK_PATH" 2> /tmp/asked | head -c 200)
        [ "$answer" = "$SELF_CHECK" ] ||
            echo "port 80 of $host ($address) doesn't reach this proxy: ${answer:-$(tail -n 1 /tmp/asked)}"
    done
}

# Prints the order and a digest of what it is made with: this container, which other settings replace, and its secrets.
purpose() {
    settings=$(cat /etc/hostname "$SECRETS/$ACME_SECRETS" "$SECRETS/$ACME_TRUSTED" 2> /dev/null | sha256sum)
    printf %s "${settings%% *} $ORDER"
}

# Removes progress messages.
reasons() { while read -r line; do case "$line" in *"[INFO]"*) ;; *) echo "$line" ;; esac; done; }

# Copies text without the lines of $1, which may be credentials in an error message of a DNS provider.
without() { # TEXTS
    text=$(cat)
    while IFS= read -r unwanted; do
        [ -n "$unwanted" ] || continue
        rest=$text; text=
        while :; do
            case $rest in
                *"$unwanted"*) text="$text${rest%%"$unwanted"*}[secret]"; rest=${rest#*"$unwanted"} ;;
                *) break ;;
            esac
        done
        text=$text$rest
    done <<TEXTS
$1
TEXTS
    printf '%s\n' "$text"
}

# What to do about a failed DNS-01 challenge.
advice() {
    [ -n "$DNS_PROVIDER" ] || return
    case "$(cat /tmp/attempt)" in
        *"error presenting token"* | *"are missing"*)
            echo " Check certificate.acme.dns: environment and secretEnvironment need what the provider $DNS_PROVIDER asks for, and the right to change TXT records" ;;
        *"time limit exceeded"*)
            echo " The TXT records can't be seen at the zone's name servers: raise the provider's variable ..._PROPAGATION_TIMEOUT, or set certificate.acme.dns.propagationWait" ;;
    esac
}

# Runs lego. Its output is only of interest if it fails.
attempt() {
    # shellcheck disable=SC2153 # it is not the name in lower case
    if [ "$(read_note obtained)" != "$ORDER" ]; then command=run
    elif [ "$(read_note due)" = "$ORDER" ]; then command="renew --days $ALWAYS_DUE_DAYS --no-random-sleep"
    else command="renew --dynamic --no-random-sleep"; fi
    (
        set -a
        # shellcheck disable=SC1090 # made by the proxy
        [ ! -e "$SECRETS/$ACME_SECRETS" ] || . "$SECRETS/$ACME_SECRETS"
        set +a
        texts=${ACME_TEXTS_TO_REMOVE-}
        unset ACME_TEXTS_TO_REMOVE
        [ ! -e "$SECRETS/$ACME_TRUSTED" ] || export LEGO_CA_CERTIFICATES="$SECRETS/$ACME_TRUSTED" LEGO_CA_SYSTEM_CERT_POOL=true
        set -- --path "$ACME_DIRECTORY" --server "$DIRECTORY_URL" --accept-tos --key-type "$KEY_TYPE"
        set -- "$@" --cert.timeout 120
        if [ -z "$DNS_PROVIDER" ]; then set -- "$@" --http --http.port ":$CHALLENGE_PORT"; else set -- "$@" --dns "$DNS_PROVIDER"; fi
        [ -z "$PROPAGATION_WAIT" ] || set -- "$@" --dns.propagation-wait "${PROPAGATION_WAIT}s"
        [ -z "$EMAIL" ] || set -- "$@" --email "$EMAIL"
        [ -z "${LEGO_EAB_KID-}" ] || set -- "$@" --eab
        for host in $HOSTNAMES; do set -- "$@" --domains "$host"; done
        # shellcheck disable=SC2086 # its words are arguments of their own
        lego "$@" $command > /tmp/printed 2>&1
        ended=$?
        without "$texts" < /tmp/printed > /tmp/attempt
        rm -f /tmp/printed
        exit "$ended"
    )
}

failed() { # SECONDS UNTIL THE NEXT ATTEMPT, WHY
    failures=$((failures + 1))
    line="attempt $failures failed: $(printf %s "$2" | tr '\n' ' ' | tail -c 1000); the next one in $1 s"
    note failures $failures
    note last-failure "$line"
    say "$line"
}

# Whether the disk has room for a certificate. One that can't be stored must not be ordered, since CAs count orders.
has_room() {
    { head -c 65536 /dev/zero > room; } 2> /dev/null
    set -- $?
    rm -f room 2> /dev/null
    return "$1"
}

digest_of_files() {
    digest=$(cat "$files.crt" "$files.key" 2> /dev/null | sha256sum)
    printf %s "${digest%% *}"
}

succeeded() {
    digest=$(digest_of_files)
    if [ "$(read_note ready)" != "$digest $ORDER" ]; then
        # After a power failure, the notes must not exist without the content of the files.
        sync
        until note obtained "$ORDER" && note ready "$digest $ORDER"; do
            say "a certificate was obtained, but $ACME_DIRECTORY can't be written: trying again in $PREFLIGHT_SECONDS s"
            wait_for "$PREFLIGHT_SECONDS"
        done
        say "obtained a certificate for $HOSTNAMES"
    fi
    failures=0
    note failures 0
    rm -f last-failure retry-at due
}
