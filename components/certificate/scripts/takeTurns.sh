# Lets a client order only in its turn, and takes over the certificates that other proxies have obtained. It replaces functions of
# orderCertificate.sh, to which it is appended; obtainCertificate.sh follows. exchangeCertificate.pl decides whose turn it is.
#
# PREFLIGHT_SECONDS, SELF_CHECK, SELF_CHECK_PATH   as in orderCertificate.sh
#
# Notes, in addition to those of orderCertificate.sh:
# turn       exists during this client's turn: the time in seconds since 1970 at which it ends, unless it is extended
# alive      time of the last sign of life of this client, in seconds since 1970
# ordering   exists while this client doesn't wait: time since when
# taken      folder with files of another proxy, complete and checked, in lego's layout; `taken/order` is what they were ordered for,
#            `taken/from` is the proxy's name, and `taken/replaces` the note `ready` of the certificate that they replace: if this
#            client has obtained another one meanwhile, they are outdated

in_turn() {
    ends=$(read_note turn)
    case $ends in "" | *[!0-9]*) return 1 ;; esac
    [ "$ends" -ge "$(date +%s)" ]
}

take_over() {
    if ! [ -d taken ] || ! has_room; then return; fi
    if [ "$(read_note taken/order)" = "$ORDER" ] && [ "$(read_note taken/replaces)" = "$(read_note ready)" ]; then
        if [ -d taken/accounts ]; then rm -rf accounts && mv taken/accounts accounts; fi
        if [ -d taken/certificates ]; then
            # If this is interrupted or fails, the files are taken over again.
            rm -f obtained
            mkdir -p certificates
            cp taken/certificates/* certificates/ 2> /dev/null || return
            # After a power failure, the notes must not exist without the content of the files.
            sync
            digest=$(digest_of_files)
            if ! { note obtained "$ORDER" && note ready "$digest $ORDER"; } 2> /dev/null; then return; fi
            # shellcheck disable=SC2034 # obtainCertificate.sh counts on
            failures=0
            note failures 0
            rm -f last-failure retry-at due
            say "took over the certificate of proxy $(read_note taken/from)"
        fi
    fi
    # A folder that is only removed in part must not be taken over.
    mv taken taken.former && rm -rf taken.former
}

# Waits for some seconds, then for this client's turn. If the turn begins earlier, the wait ends: there may be something to order.
wait_for() { # SECONDS
    rm -rf ordering taken.former
    remaining=$1
    in_turn && had_turn=1 || had_turn=
    while :; do
        note alive "$(date +%s)" 2> /dev/null
        take_over
        if in_turn; then
            if [ "$remaining" -le 0 ] || [ -z "$had_turn" ]; then break; fi
        else
            had_turn=
        fi
        remaining=$((remaining - 1))
        sleep 1 & wait $!
    done
    note ordering "$(date +%s)" 2> /dev/null
    # Each proxy asks the others every three seconds whether their clients order, and passes challenges on only to one that does.
    [ -n "$DNS_PROVIDER" ] || { sleep 6 & wait $!; }
}

# Checks that port 80 of each hostname leads to one of the proxies. An address whose host is down doesn't prevent an order: the CA may
# use another one.
preflight() {
    for host in $HOSTNAMES; do
        addresses=$(getent hosts "$host" | while read -r address rest; do printf '%s ' "$address"; done)
        if [ -z "$addresses" ]; then
            echo "$host doesn't resolve: create a DNS record with the addresses of the hosts of all proxies"; continue
        fi
        reached=
        for address in $addresses; do
            case $address in *:*) at="[$address]" ;; *) at=$address ;; esac
            answer=$(wget -nv -t 1 -T 5 -O - "http://$at$SELF_CHECK_PATH" 2> /tmp/asked | head -c 200)
            if [ "$answer" = "$SELF_CHECK" ]; then reached=1; break; fi
            reason="$address: ${answer:-$(tail -n 1 /tmp/asked)}"
        done
        [ -n "$reached" ] || echo "port 80 of $host (${addresses% }) doesn't reach a proxy of this store: $reason"
    done
}

wait_for 0
