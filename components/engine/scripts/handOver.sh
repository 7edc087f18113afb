# Gives the files of drives to another user, and the folder of a node's secrets with it. What setAside.sh has renamed gets its name back.
#
# OWNER    uid:gid
# CLEARED  folders at the top of each drive that are removed before, separated by spaces
# DRIVES   folder with the drives
# FILES    folder of the secrets
# SUFFIX   what setAside.sh has added to names of folders
set -eu
for drive in "$DRIVES"/*; do
    for folder in $CLEARED; do rm -rf "${drive:?}/$folder"; done
    for aside in "$drive"/.*.sys/config/*"$SUFFIX"; do
        folder=${aside%"$SUFFIX"}
        if [ -d "$aside" ] && [ ! -e "$folder" ]; then mv "$aside" "$folder"; fi
    done
    chown -R "$OWNER" "$drive"
done
chown "$OWNER" "$FILES"
sync
