# Puts the key with which proxies authenticate each other where every check of the configuration finds it. Runs in the folder of the new
# files.
#
# PEERS_CONFIGURATION_FILE   its name there
# PEERS_FILE                 the path that the configuration names, in the folder of the served certificate
set -eu
umask 077
# The folder belongs to another user, who must not make root write to what a link leads to.
cp -T --remove-destination "$PEERS_CONFIGURATION_FILE" "$PEERS_FILE.next"
chown -h "$(stat -c %u:%g "${PEERS_FILE%/*}")" "$PEERS_FILE.next"
# After a power failure, the name must not lead to a file whose content was never written.
sync "$PEERS_FILE.next"
mv -T "$PEERS_FILE.next" "$PEERS_FILE"
