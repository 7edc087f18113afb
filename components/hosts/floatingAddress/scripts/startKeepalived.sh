# Starts keepalived on the interface that has the host's own address.
#
# HOST_ADDRESS   address of the host to which its interface belongs
# FOLDER         folder for the files below, which a restart empties
# CONFIGURATION  text of keepalived.conf, with INTERFACE in place of the interface's name
# CHECK          program that fails while the proxy of this host doesn't serve
# TABLE          name of the nftables table that passes on connections; a killed container may have left it
set -eu
# shellcheck disable=SC2046 # its words become the parameters
set -- $(ip -4 -o address show to "$HOST_ADDRESS/32")
[ $# -gt 1 ] || {
    echo "no interface of this host has the address $HOST_ADDRESS: correct it in hosts"
    exit 1
}
nft delete table ip "$TABLE" 2>/dev/null || true
umask 077
mkdir -p "$FOLDER"
printf '%s' "$CHECK" >"$FOLDER/check.pl"
rest=$CONFIGURATION
: >"$FOLDER/keepalived.conf"
while [ "$rest" != "${rest#*INTERFACE}" ]; do
    printf '%s%s' "${rest%%INTERFACE*}" "$2" >>"$FOLDER/keepalived.conf"
    rest=${rest#*INTERFACE}
done
printf '%s\n' "$rest" >>"$FOLDER/keepalived.conf"
# Keepalived starts without what it doesn't understand, the check of the proxy too.
keepalived --config-test --use-file "$FOLDER/keepalived.conf"
exec keepalived --dont-fork --log-console --vrrp --use-file "$FOLDER/keepalived.conf" \
    --pid "$FOLDER/keepalived.pid" --vrrp_pid "$FOLDER/vrrp.pid"
