# Looks for objects that another store can't read. Its arguments are the folders of drives, or the metadata files that objects have
# or would have. For each object that it finds, prints its kind and its folder, ended by a zero byte, since keys may have newlines.
# Ends after _LIMIT objects. It uses only the shell, cat, tr, od and head.
#
# _OLD_FILE  name of the metadata file of the format that the other store doesn't know
# _FILE      name of the metadata file
# _MARKERS   kinds of objects and texts in their metadata files: KIND:TEXT, separated by spaces; texts have lower-case letters and hyphens
# _DAMAGED   kind of objects whose metadata files can't be read
# _LIMIT     number of objects that are printed
_found=0

report() { # KIND, FOLDER
    printf '%s %s\0' "$1" "$2"
    _found=$((_found + 1))
    [ "$_found" -lt "$_LIMIT" ] || exit 0
}

# Prints the metadata in a metadata file: data of a small object follows it. The file begins with "XL2 ", four bytes of its version, and
# the length of the metadata as msgpack has it for bytes (bin 8, bin 16, bin 32).
metadata_of() {
    # shellcheck disable=SC2046 # the bytes are arguments of their own
    set -- "$1" $(od -An -v -tu1 -N13 "$1")
    case "${2-} ${3-} ${4-} ${5-} ${10-}" in
        "88 76 50 32 196") head -c $((10 + ${11:-0})) "$1" ;;
        "88 76 50 32 197") head -c $((11 + ${11:-0} * 256 + ${12:-0})) "$1" ;;
        "88 76 50 32 198") head -c $((13 + ((${11:-0} * 256 + ${12:-0}) * 256 + ${13:-0}) * 256 + ${14:-0})) "$1" ;;
        *) cat "$1" ;;
    esac
}

# Prints the kinds of the objects whose metadata files are given. Of several, data counts as metadata.
kinds() {
    _read="cat"
    [ $# -gt 1 ] || _read=metadata_of
    # The sign of an error takes its own way past the filters, so that no text of an object can be it.
    _text=$({ { "$_read" "$@" 2> /dev/null || printf '!' >&3; } | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z-'; } 3>&1)
    case $_text in *!*) printf '%s ' "$_DAMAGED" ;; esac
    for _marker in $_MARKERS; do
        case $_text in *"${_marker#*:}"*) printf '%s ' "${_marker%%:*}" ;; esac
    done
}

# Reads the metadata files of all objects in a folder, 16 at a time.
look() {
    while [ $# -gt 0 ]; do
        # A pattern that nothing matches; a folder below an object's key.
        if [ ! -e "$1" ] || [ -d "$1" ]; then
            shift
        elif [ -n "$(kinds "$1" ${2+"$2"} ${3+"$3"} ${4+"$4"} ${5+"$5"} ${6+"$6"} ${7+"$7"} ${8+"$8"} ${9+"$9"} \
            ${10+"${10}"} ${11+"${11}"} ${12+"${12}"} ${13+"${13}"} ${14+"${14}"} ${15+"${15}"} ${16+"${16}"})" ]; then
            _left=16
            while [ "$_left" -gt 0 ] && [ $# -gt 0 ]; do
                [ -d "$1" ] || for _kind in $(kinds "$1"); do report "$_kind" "${1%/*}"; done
                shift
                _left=$((_left - 1))
            done
        elif [ $# -gt 16 ]; then
            shift 16
        else
            return 0
        fi
    done
}

# The loops go on after a deeper folder, since their lists are made before.
scan() { # FOLDER
    # Data of an object. A folder of that name is an object itself.
    [ ! -f "$1/part.1" ] || return 0
    for _old in "$1"/*/"$_OLD_FILE" "$1"/.[!.]*/"$_OLD_FILE" "$1"/..?*/"$_OLD_FILE"; do
        [ ! -e "$_old" ] || report older "${_old%/*}"
    done
    # Separately, since a pattern that nothing matches is no file.
    look "$1"/*/"$_FILE"
    look "$1"/.[!.]*/"$_FILE"
    look "$1"/..?*/"$_FILE"
    for _sub in "$1"/*/ "$1"/.[!.]*/ "$1"/..?*/; do
        [ ! -d "$_sub" ] || scan "${_sub%/}"
    done
}

LC_ALL=C
export LC_ALL
for _place; do
    case $_place in
        */"$_FILE")
            [ ! -e "${_place%/*}/$_OLD_FILE" ] || report older "${_place%/*}"
            look "$_place"
            ;;
        *) for _bucket in "$_place"/*/; do [ ! -d "$_bucket" ] || scan "${_bucket%/}"; done ;;
    esac
done
