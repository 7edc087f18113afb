# Sends a request to the store of this node. Its configuration for curl and its body come on standard input, one after the other.
#
# Arguments  length of the configuration, length of the body, in bytes
set -eu
exec 4<&0
configuration=$(head -c "$1" <&4)
printf '%s\n' "$configuration" | {
    exec 3<&0
    head -c "$2" <&4 | curl --disable --config /dev/fd/3
}
