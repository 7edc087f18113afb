# Writes files into a volume, as components/docker/volumeFiles.ts describes.
#
# FILES       folder that the volume is mounted at
# UPLOADS     folder of this container with the new files; while the file VERSION_FILE exists, all others do too
# CURRENT     name of the link in FILES to the current files
# FORMER_VERSIONS  number of former versions that are kept
# OF_VERSION  prefix of the name of the link to a kept version; the version follows
# OWNER       uid:gid of the user that reads them
# OWNED       additional folders that are given to that user, separated by spaces
# FORMATS     files of which such a folder has one once a reader has used it, separated by spaces. Once there are files, a folder without
#             any isn't given away: its disk may not be mounted
# CHECK       command that checks the new files, run in their folder; empty for none
# ANNOUNCE    command that makes their reader reload them; empty for none
#
# For CHECK, the variable FORMER has the folder of the files that have been current so far; it is empty if there are none.
set -eu
umask 077
# After a power failure, a name must not lead to files whose content was never written. Not every system has `sync FILE`.
to_disk() { sync "$@" 2> /dev/null || sync; }

cd "$FILES"
chown "$OWNER" .
chmod 0700 .

# The files are moved to the volume, so that the ended container contains none. If this run fails, they wait there for the next one.
if [ -e "$UPLOADS/$VERSION_FILE" ]; then
    rm -rf pending pending.next
    mkdir pending.next
    cp "$UPLOADS"/* pending.next/
    to_disk pending.next/*
    mv -T pending.next pending
    to_disk .
    rm "$UPLOADS/$VERSION_FILE"
fi
rm -rf "$UPLOADS"

former=$(readlink "$CURRENT" || true)
was_used() {
    for file in $FORMATS; do [ ! -e "$1/$file" ] || return 0; done
    return 1
}
owner_of() {
    # shellcheck disable=SC2012,SC2046 # a folder of ours; its first fields are numbers
    set -- $(ls -nd "$1")
    echo "$3:$4"
}
for folder in $OWNED; do
    if [ -n "$FORMATS" ] && [ -n "$former" ] && ! was_used "$folder" && [ "$(owner_of "$folder")" != "$OWNER" ]; then
        echo "$folder has none of the store's data, and the store has run here before: is its disk mounted? Mount it, then run the same update again"
        exit 1
    fi
    chown "$OWNER" "$folder"
    chmod 0700 "$folder"
done
if [ -d pending ]; then source=pending; else source=$former; fi
if [ -z "$source" ]; then
    echo "there are no files to write: remove this container, then run \`pulumi refresh\` and \`pulumi up\`"
    exit 1
fi
next=$(mktemp -d version.XXXXXXXX)
trap 'rm -rf "$next" next' EXIT
cp "$source"/* "$next/"
if [ -n "$CHECK" ]; then
    (
        cd "$next"
        FORMER=${former:+$FILES/$former}
        export FORMER
        eval "$CHECK"
    )
fi
chown -R "$OWNER" "$next"

point() { # LINK, FOLDER
    ln -sfn "$2" next
    mv -T next "$1"
}
version_of() { cat "$1/$VERSION_FILE" 2>/dev/null || true; }
# Versions are numbered, since their order must not depend on the clock.
number_of() {
    found=$(cat "$1/.number" 2>/dev/null || true)
    case $found in "" | *[!0-9]*) found=0 ;; esac
    echo "$found"
}

number=0
if [ "$FORMER_VERSIONS" -gt 0 ]; then
    if [ -n "$former" ]; then number=$(number_of "$former"); fi
    if [ -z "$former" ] || [ "$(version_of "$former")" != "$(version_of "$next")" ]; then number=$((number + 1)); fi
    echo "$number" > "$next/.number"
    chown "$OWNER" "$next/.number"
    to_disk "$next/.number"
fi

# After a power failure the link must not point to files whose content was never written.
to_disk "$next"/*
if [ "$FORMER_VERSIONS" -gt 0 ]; then point "$OF_VERSION$(version_of "$next")" "$next"; fi
point "$CURRENT" "$next"
to_disk .
if [ -n "$ANNOUNCE" ] && ! (eval "$ANNOUNCE"); then
    if [ -n "$former" ]; then point "$CURRENT" "$former"; else rm -f "$CURRENT"; fi
    exit 1
fi
trap - EXIT
rm -rf pending
# A folder that the link of its version doesn't point to is a duplicate of a version, or was left by a killed writer.
oldest=$((number - FORMER_VERSIONS))
for old in version.*; do
    [ "$old" != "$next" ] || continue
    at=$(number_of "$old")
    if [ "$at" -lt "$oldest" ] || [ "$at" -gt "$number" ] ||
        [ "$(readlink "$OF_VERSION$(version_of "$old")" || true)" != "$old" ]; then rm -rf "$old"; fi
done
for link in "$OF_VERSION"*; do [ -e "$link" ] || rm -f "$link"; done
