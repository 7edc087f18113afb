# Passes packets of connections that this host doesn't know on to the host that had the address before. It ends by itself.
#
# TABLE    name of the nftables table
# ADDRESS  floating address
# FORMER   address of the host that had it
# SECONDS_LEFT  seconds until it ends; 0 to end it now
set -eu
nft delete table ip "$TABLE" 2>/dev/null || true
[ "$SECONDS_LEFT" != 0 ] || exit 0
# A copy goes to the other host; the packet itself ends here. The other host still knows the connection, and answers the
# client by itself. Without an element in the map, the rule matches nothing.
nft --file - <<END
table ip $TABLE {
    map former {
        type ipv4_addr : ipv4_addr
        flags timeout
        elements = { $ADDRESS timeout ${SECONDS_LEFT}s : $FORMER }
    }
    chain arriving {
        type filter hook prerouting priority mangle
        ip daddr $ADDRESS tcp flags & (fin | syn | rst | ack) != syn ct state != { established, related } dup to ip daddr map @former drop
    }
}
END
