# Becomes the script's arguments once the client has its configuration.
#
# MC_CONFIG_DIR   folder of the configuration, in memory
# INPUT_FILE      file that standard input is written to first, for commands that read a file alone; may be unset
set -eu
umask 077
until [ -e "$MC_CONFIG_DIR/config.json" ]; do sleep 0.1; done
[ -z "${INPUT_FILE:-}" ] || cat > "$INPUT_FILE"
exec "$@"
