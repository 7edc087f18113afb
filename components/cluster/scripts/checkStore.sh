# Health check of a store: succeeds when each URL answers with a 2xx status; prints the URL, the status and the start of the body. A store
# that accepts connections and doesn't answer them, several times in a row, is ended.
#
# HEALTH_QUESTION  set where it is run out of turn: it counts nothing then
# _URLS            separated by spaces
# _LIVENESS_URL    answers as long as the store doesn't hang; empty for a store without one
# _HANGS           answers that didn't come, in a row, until the store is ended
# _STORE_PID_FILE  file with the store's process id; empty where the store is the container's only process
if [ -n "$_LIVENESS_URL" ]; then
    curl --noproxy "*" --silent --output /dev/null --max-time 3 "$_LIVENESS_URL"
    hangs=$?
    # curl's exit code where an answer didn't come in time. What refuses connections is starting, or gone.
    if [ -n "$HEALTH_QUESTION" ]; then
        [ $hangs != 28 ] || exit 1
    elif [ $hangs = 28 ]; then
        echo . >> /tmp/hangs
        printf '%s: no answer within 3 s, %s time(s)\n' "$_LIVENESS_URL" "$(wc -l < /tmp/hangs)"
        if [ "$(wc -l < /tmp/hangs)" -ge "$_HANGS" ]; then
            rm /tmp/hangs
            if [ -n "$_STORE_PID_FILE" ]; then kill -9 "$(cat "$_STORE_PID_FILE")"; else kill -9 -1; fi
        fi
        exit 1
    else
        rm -f /tmp/hangs
    fi
fi
for url in $_URLS; do
    answer=$(curl --noproxy "*" --silent --show-error --max-time 4 --write-out ' %{http_code}' "$url" 2>&1)
    status=${answer##* }
    printf '%s %s %.200s\n' "$url" "$status" "${answer% *}"
    case "$status" in 2??) ;; *) exit 1 ;; esac
done
