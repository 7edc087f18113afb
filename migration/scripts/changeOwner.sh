# Gives the files of drives to a store's user, and hides what it must not find. Or records in a file which store they are for.
#
# OWNER    uid:gid. Empty: they stay with their owner
# CLEARED  folders at the top of each drive that are removed before, separated by spaces
# COPIED   files of each drive that are copied then, if they are there, each with a colon and the folder that it is copied to. Links and
#          pipes are not: whoever could write to the drive would have root read or write elsewhere, or wait
# HIDDEN   folders of each drive that the next store must not find, separated by spaces: they are renamed. All others that were
#          renamed get their names back
# SUFFIX   what is added to their names
# DRIVES   folder with the drives
# MARK_FILE, MARK  file that is written, and its text; an empty text removes it. Default: none
set -eu

# Renames a folder, if it is there. A store that was started by hand may have written a newer one under the name that it had: the newer
# one stays in use, and the other one is kept.
hide() {
    [ -d "$1" ] || return 0
    [ ! -e "$1$SUFFIX" ] || mv "$1$SUFFIX" "$1$SUFFIX.$(date +%s)"
    mv "$1" "$1$SUFFIX"
}
show() {
    if [ -d "$1$SUFFIX" ] && [ ! -e "$1" ]; then mv "$1$SUFFIX" "$1"; fi
}

for drive in "$DRIVES"/*; do
    [ -d "$drive" ] || continue
    for folder in $CLEARED; do rm -rf "${drive:?}/$folder"; done
    for copy in $COPIED; do
        file=$drive/${copy%%:*}
        if [ -f "$file" ] && [ ! -L "$file" ] && [ ! -L "$(dirname "$file")" ]; then
            mkdir -p "$drive/${copy#*:}"
            cp "$file" "$drive/${copy#*:}"
        fi
    done
    for aside in "$drive"/.*.sys/config/*"$SUFFIX"; do
        folder=${aside%"$SUFFIX"}
        case " $HIDDEN " in *" ${folder#"$drive/"} "*) ;; *) show "$folder" ;; esac
    done
    for folder in $HIDDEN; do hide "$drive/$folder"; done
    [ -z "$OWNER" ] || chown -R "$OWNER" "$drive"
done
if [ -n "${MARK_FILE-}" ]; then
    if [ -n "$MARK" ]; then
        echo "$MARK" > "$MARK_FILE.next"
        sync
        mv -T "$MARK_FILE.next" "$MARK_FILE"
    else
        rm -f "$MARK_FILE"
    fi
fi
sync
