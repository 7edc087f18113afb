# Runs a store, whose program and arguments are this script's arguments, and ends with its exit status. A stop request is passed on to the
# store, which has as much time as the engine allows. If the store ends without such a request (killed, out of memory, crashed), the shell
# waits before it ends.
#
# _CLOSED_FOR      time to wait, in seconds
# _STORE_PID_FILE  file that the store's process id is written to
_store=
_stopping=
_stop() {
    _stopping=1
    [ -z "$_store" ] || kill -TERM "$_store" 2> /dev/null
}
trap _stop TERM INT QUIT
"$@" &
_store=$!
echo "$_store" > "$_STORE_PID_FILE"
# A stop request may have come before the store was started.
[ -z "$_stopping" ] || _stop
# A signal interrupts the first `wait`.
while :; do
    wait "$_store"
    _status=$?
    kill -0 "$_store" 2> /dev/null || break
done
_store=
rm -f "$_STORE_PID_FILE"
if [ -z "$_stopping" ]; then
    echo "the store ended with status $_status and was not asked to: its ports stay closed for $_CLOSED_FOR s" >&2
    sleep "$_CLOSED_FOR" &
    wait $!
fi
exit "$_status"
