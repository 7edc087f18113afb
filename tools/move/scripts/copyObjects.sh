# Copies the objects of one store to another with rclone, or compares them. rclone's configuration with the remotes `from` and
# `to`, the CAs that it trusts, and a list of objects come on standard input, one after the other, then one byte to begin; /tmp is
# in memory. It ends when standard input does: a copy must not outlive the command that decided it.
#
# Arguments  copy or compare; length of the configuration, of the CAs, of the list, in bytes; since when objects are copied again
set -eu
umask 077
cd /tmp
head -c "$2" > rclone.conf
head -c "$3" > ca.pem
head -c "$4" > objects
export RCLONE_CONFIG=/tmp/rclone.conf RCLONE_CA_CERT=/tmp/ca.pem RCLONE_METADATA=true RCLONE_FAST_LIST=true
export RCLONE_NO_UNICODE_NORMALIZATION=true RCLONE_STATS=10s RCLONE_STATS_ONE_LINE=true RCLONE_STATS_LOG_LEVEL=NOTICE
export RCLONE_TRANSFERS=16 RCLONE_CHECKERS=16 RCLONE_RETRIES=1
# From now on it is in this machine's cache.
rclone version > version.txt
head -c 1 > begin
[ -s begin ] || exit 143
exec 4<&0
{
    cat <&4 > /dev/null
    kill 0
} &
case $1 in
copy)
    # What isn't there is copied, and what is gone is deleted. What is there was copied whole.
    rclone sync from: to: --ignore-existing --ignore-errors &
    sync=$!
    code=0 other=0
    # Whatever has changed since then is copied in any case: nothing is concluded from sizes, times or checksums.
    if [ -n "$5" ]; then rclone copy from: to: --no-check-dest --use-server-modtime --max-age "$5" || code=$?; fi
    wait "$sync" || other=$?
    # The larger one is the graver one: from 7 on rclone gave up, from 128 on it was killed.
    if [ "$other" -gt "$code" ]; then code=$other; fi
    exit "$code"
    ;;
compare)
    rclone check from: to: --download --one-way --files-from-raw objects
    ;;
esac
