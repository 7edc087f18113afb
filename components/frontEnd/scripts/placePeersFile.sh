# Puts the key with which proxies authenticate each other where every check of the configuration finds it. Runs in the folder of the new
# files.
#
# PEERS_CONFIGURATION_FILE   its name there
# PEERS_FILE                 the path that the configuration names, in the folder of the served certificate
set -eu
umask 077
cp "$PEERS_CONFIGURATION_FILE" "$PEERS_FILE.next"
chown "$(stat -c %u:%g "${PEERS_FILE%/*}")" "$PEERS_FILE.next"
mv -T "$PEERS_FILE.next" "$PEERS_FILE"
