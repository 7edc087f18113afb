# Health check of a store, as containers of earlier versions have it: it counts checks alone. It succeeds if each URL
# answers with a 2xx status, and prints each URL, its status and the start of its body.
# It kills a store that several times in a row accepts connections without answering them.
#
# HEALTH_QUESTION  set if the script isn't run by Docker's health check: timeouts aren't counted then
# _URLS            URLs to check, separated by spaces
# _LIVENESS_URL    URL that answers unless the store hangs; empty for a store without one
# _HANGS           number of timeouts in a row after which the store is killed
# _STORE_PID_FILE  file with the store's process id; empty if the store is the container's only process
if [ -n "$_LIVENESS_URL" ]; then
    curl --noproxy "*" --silent --output /dev/null --max-time 3 "$_LIVENESS_URL"
    hangs=$?
    # 28 is curl's exit code for a timeout. A store that refuses connections is starting, or has ended.
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
