# Runs the client. The first line of standard input is its configuration, which so appears in no argument, environment variable or
# `docker inspect`, and is written to memory only. What follows is the client's own standard input.
#
# MC_CONFIG_DIR   folder of the configuration, in memory
set -eu
umask 077
IFS= read -r configuration
printf '%s\n' "$configuration" > "$MC_CONFIG_DIR/config.json"
unset configuration
exec mc "$@"
