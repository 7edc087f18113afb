# Functions that the scripts of a certificate by ACME share.

say() { printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*"; }

# Writes a note atomically: it exists as a whole or not at all.
note() { printf '%s\n' "$2" > "$1.next" && mv "$1.next" "$1"; }

# A whole number that a program can count with; 0 for any other text, as in a note that was damaged.
number() { case $1 in "" | 0* | *[!0-9]* | ????????????????*) echo 0 ;; *) echo "$1" ;; esac; }

read_note() { { read -r line < "$1"; } 2> /dev/null && printf %s "$line"; }
