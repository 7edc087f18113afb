# Orders and renews a certificate by ACME as long as the container runs. This script is appended to orderCertificate.sh, which describes
# its parameters. Over several hosts, takeTurns.sh is in between.
# shellcheck disable=SC2034 # orderCertificate.sh reads it
failures=$(number "$(read_note failures)")
# If the files don't match the note, lego was killed while it wrote them: key and certificate may not belong together.
noted=$(read_note ready)
[ "${noted%% *}" = "$(digest_of_files)" ] || rm -f obtained
say "ordering and renewing the certificate for $HOSTNAMES at $DIRECTORY_URL"
while :; do
    at=0; waited=0; meant=
    { read -r at waited meant < retry-at; } 2> /dev/null
    [ -z "$meant" ] || [ "$meant" = "$(purpose)" ] || { at=0; waited=0; }
    at=$(number "$at"); waited=$(number "$waited")
    left=$((at - $(date +%s)))
    # The clock was ahead when the note was written, or is behind now: the wait begins again, also at each restart.
    if [ "$left" -gt "$waited" ] && note retry-at "$(($(date +%s) + waited)) $waited $meant"; then left=$waited; fi
    if [ "$left" -gt 0 ]; then
        wait_for 1; continue
    fi
    wrong=
    [ "$PREFLIGHT" = false ] || wrong=$(preflight)
    has_room || wrong="$ACME_DIRECTORY has no room for a certificate: make some"
    if [ -n "$wrong" ]; then
        delay=$((RETRY_INTERVAL < PREFLIGHT_SECONDS ? RETRY_INTERVAL : PREFLIGHT_SECONDS))
        failed "$delay" "$wrong. Nothing was asked of the CA"
        wait_for $delay
    elif intended=$(purpose) && attempt; then
        succeeded
        # The interval varies by a tenth, so that not all clients contact the CA at the same time.
        random=$(od -An -N2 -tu2 /dev/urandom)
        wait_for $((CHECK_INTERVAL - CHECK_INTERVAL / 10 + random % (CHECK_INTERVAL / 5 + 1)))
    else
        delay=$((waited > 0 ? waited * 2 : RETRY_INTERVAL))
        [ "$delay" -le "$LONGEST_RETRY_SECONDS" ] || delay=$LONGEST_RETRY_SECONDS
        cat /tmp/attempt
        noted=
        note retry-at "$(($(date +%s) + delay)) $delay $intended" && noted=1
        failed "$delay" "$(reasons < /tmp/attempt | tail -n 3)$(advice)"
        [ -n "$noted" ] || wait_for "$delay"
        case "$(cat /tmp/attempt)" in *"Trying renewal"*) note due "$ORDER" ;; esac
        # Removes broken state, so that the next attempt creates it again: an account that the CA no longer knows, an
        # account of another email address (which `renew` doesn't register), and a damaged file.
        case "$(cat /tmp/attempt)" in
            *:accountDoesNotExist*) rm -rf accounts obtained ;;
            *"is not registered"* | *"loading the certificate"*) rm -f obtained ;;
        esac
    fi
done
