# Runs a store, which is this script's arguments, and ends with its exit status. A request to stop goes on to the store, which has as
# long as the engine gives it. Where the store ends without such a request (killed, out of memory, crashed), the shell waits first.
#
# _CLOSED_FOR      seconds to wait
# _STORE_PID_FILE  file for the store's process id
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
# A request that came before the store was there.
[ -z "$_stopping" ] || _stop
# A signal interrupts the first wait.
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
