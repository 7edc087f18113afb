# Loads what the ACME client has obtained: checks it with the whole configuration, moves one link, reloads. What is refused is tried
# again each minute, a reload that failed after ever longer times, since HAProxy counts reloads and ends the transfers of workers that
# have seen too many (mworker-max-reloads). Both are said once; the former one stays meanwhile. Follows notes.sh.
#
# ACME_DIRECTORY          folder of the ACME client
# CERTIFICATE_DIRECTORY   folder of what was obtained and checked; its link CURRENT leads to the one in force
# HOSTNAMES               names that the certificate has to cover, separated by spaces
# ORDER                   what the certificate is obtained for
# CONFIGURATION           folder with haproxy.cfg
# RELOAD                  shell command that has the proxy load its files again, and prints its answer (frontEnd/scripts/reload.pl)
# STATS_SOCKET            socket of the proxy's runtime API
# VALUES_FILE             what the metrics say, as a map of HAProxy's
set -u; umask 077; cd "$CERTIFICATE_DIRECTORY" || exit 1
# The image's own stop signal is HAProxy's: USR1.
trap 'exit 0' TERM INT USR1
files=$ACME_DIRECTORY/certificates/${HOSTNAMES%% *}
# Exit code of RELOAD where it failed before HAProxy was asked, which counts no reload then.
NOT_ASKED=3

reload() {
    eval "$RELOAD"
}

# Prints what stands against a folder's certificate.
check() {
    for host in $HOSTNAMES; do
        case "$(openssl x509 -in "$1/certificate.pem" -noout -checkhost "$host" 2>&1)" in
            *"does match"*) ;; *) echo "it doesn't cover $host"; return ;;
        esac
    done
    openssl x509 -in "$1/certificate.pem" -noout -checkend 0 > /tmp/checked 2>&1 || { cat /tmp/checked; return; }
    perl -pe "s{$CERTIFICATE_DIRECTORY/$CURRENT/}{$CERTIFICATE_DIRECTORY/$1/}g" "$CONFIGURATION/haproxy.cfg" > /tmp/checked.cfg
    haproxy -c -f /tmp/checked.cfg > /tmp/checked 2>&1 || cat /tmp/checked
}

point() { ln -sfn "$1" next && mv -T next "$CURRENT"; }

# Prints a line unless it was the last one, whatever process or folder it names.
say_once() {
    line=$(printf %s "$1" | perl -pe 's/version\.\w+|\(\d+\)//g')
    [ "$line" = "$said" ] || say "$1"
    said=$line
}

# What can't be written now is tried again.
incomplete() {
    [ -z "$next" ] || rm -rf "$next"
    say_once "a new certificate can't be written to $CERTIFICATE_DIRECTORY: trying again every second"
}

# After one more reload, which was in vain.
try_later() {
    left=$pause
    pause=$((pause < 10800 ? pause * 2 : 21600))
}

deploy() { # DIGEST, ORDER
    # The client is writing them.
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
    # After a loss of power the link must not lead to files whose content was never written. `sync FILE` isn't everywhere.
    sync "$next"/* 2> /dev/null || sync
    former=$(readlink "$CURRENT")
    point "$next" 2> /dev/null || { incomplete; return; }
    answer=$(reload 2>&1)
    reloaded=$?
    if [ "$reloaded" -eq 0 ]; then
        # Not before: whoever is ended in between loads it again.
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

# What the metrics say of failures changes without a reload.
publish() { # FAILURES
    values=$(perl -pe "s/^renewal_failures .*/renewal_failures $1/" "$CURRENT/values") && note "$CURRENT/values" "$values" 2> /dev/null
    perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit; print $s "$ARGV[1]\n"; my @l = <$s>' \
        "$STATS_SOCKET" "set map $VALUES_FILE renewal_failures $1"
}

# TRIED: what isn't tried again for LEFT seconds. PAUSE: how long that is after the next reload that fails.
tried=; published=; said=; left=0; pause=60
while :; do
    ready=$(read_note "$ACME_DIRECTORY/ready")
    waits=
    [ "$left" -eq 0 ] || [ "$ready" != "$tried" ] || waits=1
    # What was obtained for another ORDER doesn't take the place of what is served.
    if [ -z "$waits" ] && [ "${ready#* }" = "$ORDER" ] && [ "$ready" != "$(read_note "$CURRENT/deployed")" ]; then
        tried=$ready; left=0
        deploy "${ready%% *}" "${ready#* }"
        published=
    fi
    # It becomes part of a program and of a command to HAProxy, and is the client's word alone.
    failures=$(read_note "$ACME_DIRECTORY/failures")
    case $failures in "" | *[!0-9]*) failures=0 ;; esac
    if [ "$failures" != "$published" ]; then publish "$failures"; published=$failures; fi
    [ "$left" -eq 0 ] || left=$((left - 1))
    sleep 1 & wait $!
done
