# Health check of a store. It succeeds if each URL answers with a 2xx status, and prints each URL, its status and the start of its body.
# It kills a store that for some time accepts connections without answering them. It counts checks and seconds: checks are 10 s apart, but
# 1 s while a container starts.
#
# HEALTH_QUESTION  set if the script isn't run by Docker's health check: timeouts aren't counted then
# _URLS            URLs to check, separated by spaces
# _LIVENESS_URL    URL that answers unless the store hangs; empty for a store without one
# _HANGS           least number of timeouts in a row after which the store is killed
# _HANGS_SECONDS   least time since the first of them, in seconds
# _STORE_PID_FILE  file with the store's process id; empty if the store is the container's only process
if [ -n "$_LIVENESS_URL" ]; then
    curl --noproxy "*" --silent --output /dev/null --max-time 3 "$_LIVENESS_URL"
    hangs=$?
    # 28 is curl's exit code for a timeout. A store that refuses connections is starting, or has ended.
    if [ -n "$HEALTH_QUESTION" ]; then
        [ $hangs != 28 ] || exit 1
    elif [ $hangs = 28 ]; then
        # Not the time of day, which may be set meanwhile.
        read -r now _ < /proc/uptime
        now=${now%.*}
        echo "$now" >> /tmp/hangs
        read -r first < /tmp/hangs
        hanging=$((now - first))
        printf '%s: no answer within 3 s, %s time(s) in %s s\n' "$_LIVENESS_URL" "$(wc -l < /tmp/hangs)" "$hanging"
        if [ "$(wc -l < /tmp/hangs)" -ge "$_HANGS" ] && [ "$hanging" -ge "$_HANGS_SECONDS" ]; then
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
