# Loads the certificates that the ACME client has obtained: checks a certificate with the whole configuration, moves one link, reloads.
# A refused certificate is tried again every minute. A failed reload is tried again after increasing times, since HAProxy counts reloads
# and ends the transfers of workers that have seen too many (mworker-max-reloads). Both are logged once; the former certificate stays
# meanwhile. This script is appended to notes.sh.
#
# ACME_DIRECTORY          folder of the ACME client
# CERTIFICATE_DIRECTORY   folder of the obtained and checked certificates; its link CURRENT points to the current one
# HOSTNAMES               names that the certificate must cover, separated by spaces
# ORDER                   the order that the certificate is obtained for
# CONFIGURATION           folder with haproxy.cfg
# RELOAD                  shell command that makes the proxy reload its files, and prints its answer (frontEnd/scripts/reload.pl)
# STATS_SOCKET            socket of the proxy's runtime API
# VALUES_FILE             values of the metrics, as an HAProxy map file
set -u; umask 077; cd "$CERTIFICATE_DIRECTORY" || exit 1
# USR1 is the stop signal of HAProxy's image.
trap 'exit 0' TERM INT USR1
files=$ACME_DIRECTORY/certificates/${HOSTNAMES%% *}
# Exit code of RELOAD if it failed before HAProxy got the command. HAProxy counts no reload then.
NOT_ASKED=3

reload() {
    eval "$RELOAD"
}

# Prints the problems of a folder's certificate.
check() {
    for host in $HOSTNAMES; do
        case "$(openssl x509 -in "$1/certificate.pem" -noout -checkhost "$host" 2>&1)" in
            *"does match"*) ;; *) echo "it doesn't cover $host"; return ;;
        esac
    done
    openssl x509 -in "$1/certificate.pem" -noout -checkend 0 > /tmp/checked 2>&1 || { cat /tmp/checked; return; }
    # The copy names the same files beside haproxy.cfg.
    perl -pe "s{$CERTIFICATE_DIRECTORY/$CURRENT/}{$CERTIFICATE_DIRECTORY/$1/}g; s{default-path config}{default-path origin $CONFIGURATION}" \
        "$CONFIGURATION/haproxy.cfg" > /tmp/checked.cfg
    haproxy -c -f /tmp/checked.cfg > /tmp/checked 2>&1 || cat /tmp/checked
}

point() { ln -sfn "$1" next && mv -T next "$CURRENT"; }

# Prints a line unless it equals the last one. Process ids and folder names are ignored in the comparison.
say_once() {
    line=$(printf %s "$1" | perl -pe 's/version\.\w+|\(\d+\)//g')
    [ "$line" = "$said" ] || say "$1"
    said=$line
}

# A failed write is tried again.
incomplete() {
    [ -z "$next" ] || rm -rf "$next"
    say_once "a new certificate can't be written to $CERTIFICATE_DIRECTORY: trying again every second"
}

# Doubles the pause after another failed reload.
try_later() {
    left=$pause
    pause=$((pause < 10800 ? pause * 2 : 21600))
}

deploy() { # DIGEST, ORDER
    # The client is still writing the files.
    if ! [ -r "$files.crt" ] || ! [ -r "$files.key" ]; then return; fi
    next=
    next=$(mktemp -d version.XXXXXXXX 2> /dev/null) || { incomplete; return; }
    cat "$files.crt" "$files.key" 2> /dev/null > "$next/certificate.pem" || { incomplete; return; }
    digest=$(sha256sum < "$next/certificate.pem")
    if [ "${digest%% *}" != "$1" ]; then rm -r "$next"; return; fi
    not_after=$(openssl x509 -in "$next/certificate.pem" -noout -enddate 2> /dev/null)
    if ! { printf 'not_after %s\nrenewal_failures 0\n' "$(date -d "${not_after#*=}" +%s)" > "$next/values" &&
        note "$next/loading" "$1 $2"; } 2> /dev/null; then incomplete; return; fi
    wrong=$(check "$next")
    if [ -n "$wrong" ]; then
        say_once "refused, the former one stays: $wrong"
        left=60
        rm -r "$next"; return
    fi
    # After a power failure the link must not point to files whose content was never written. Not every system has `sync FILE`.
    sync "$next"/* 2> /dev/null || sync
    former=$(readlink "$CURRENT")
    point "$next" 2> /dev/null || { incomplete; return; }
    answer=$(reload 2>&1)
    reloaded=$?
    if [ "$reloaded" -eq 0 ]; then
        # Not before the reload: if the script is killed in between, it loads the certificate again.
        if mv "$next/loading" "$next/deployed"; then pause=60; else try_later; fi
        said=
        say "loaded the certificate that is valid until ${not_after#*=}"
        for old in version.*; do [ "$old" = "$next" ] || rm -rf "$old"; done
    else
        point "$former" && rm -r "$next"
        say_once "not loaded, the former one stays: $answer"
        if [ "$reloaded" -eq "$NOT_ASKED" ]; then left=60; else try_later; fi
    fi
}

# Updates the failures in the metrics without a reload.
publish() { # FAILURES
    values=$(perl -pe "s/^renewal_failures .*/renewal_failures $1/" "$CURRENT/values") && note "$CURRENT/values" "$values" 2> /dev/null
    perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit; print $s "$ARGV[1]\n"; my @l = <$s>' \
        "$STATS_SOCKET" "set map $VALUES_FILE renewal_failures $1"
}

# TRIED: the certificate that isn't tried again for LEFT seconds. PAUSE: value of LEFT after the next failed reload.
tried=; published=; said=; left=0; pause=60
while :; do
    ready=$(read_note "$ACME_DIRECTORY/ready")
    waits=
    [ "$left" -eq 0 ] || [ "$ready" != "$tried" ] || waits=1
    # A certificate for another ORDER doesn't replace the served one.
    if [ -z "$waits" ] && [ "${ready#* }" = "$ORDER" ] && [ "$ready" != "$(read_note "$CURRENT/deployed")" ]; then
        tried=$ready; left=0
        deploy "${ready%% *}" "${ready#* }"
        published=
    fi
    # The number becomes part of a program and of a command to HAProxy. It is checked, since it comes from the client.
    failures=$(number "$(read_note "$ACME_DIRECTORY/failures")")
    if [ "$failures" != "$published" ]; then publish "$failures"; published=$failures; fi
    [ "$left" -eq 0 ] || left=$((left - 1))
    sleep 1 & wait $!
done
