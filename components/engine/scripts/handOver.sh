# Gives the files of drives to another user, and the folder of a node's secrets with it.
#
# OWNER    uid:gid. Empty: they stay with their owner
# CLEARED  folders at the top of each drive that are removed before, separated by spaces
# HIDDEN   folders of each drive that the next store must not find, separated by spaces: they are renamed. All others that were
#          renamed get their names back
# SUFFIX   what is added to their names
# DRIVES   folder with the drives
# FILES    folder of the secrets
set -eu

# Renames a folder, if it is there.
rename() {
    [ -d "$1" ] || return 0
    [ ! -e "$2" ] || {
        echo "$1 can't get the name $2, which exists too: remove the one that is out of date"
        exit 1
    }
    mv "$1" "$2"
}

for drive in "$DRIVES"/*; do
    for folder in $CLEARED; do rm -rf "${drive:?}/$folder"; done
    for aside in "$drive"/.*.sys/config/*"$SUFFIX"; do
        folder=${aside%"$SUFFIX"}
        case " $HIDDEN " in *" ${folder#"$drive/"} "*) ;; *) rename "$aside" "$folder" ;; esac
    done
    for folder in $HIDDEN; do rename "$drive/$folder" "$drive/$folder$SUFFIX"; done
    [ -z "$OWNER" ] || chown -R "$OWNER" "$drive"
done
[ -z "$OWNER" ] || chown "$OWNER" "$FILES"
sync
