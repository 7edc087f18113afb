# Functions that the scripts of a certificate by ACME share.

say() { printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*"; }

# Writes a note atomically: it exists as a whole or not at all.
note() { printf '%s\n' "$2" > "$1.next" && mv "$1.next" "$1"; }

read_note() { { read -r line < "$1"; } 2> /dev/null && printf %s "$line"; }
