# Prepares the store's client and becomes the script's arguments. The first line of standard input is the client's configuration, which
# so appears in no argument, environment variable or `docker inspect`, and is written to memory only. What follows is the command's own
# standard input.
#
# MC_CONFIG_DIR   folder of the configuration, in memory
set -eu
umask 077
IFS= read -r configuration
printf '%s\n' "$configuration" > "$MC_CONFIG_DIR/config.next"
mv "$MC_CONFIG_DIR/config.next" "$MC_CONFIG_DIR/config.json"
unset configuration
exec "$@"
