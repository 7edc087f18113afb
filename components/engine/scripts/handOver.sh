# Gives the files of drives to another user, and the folder of a node's secrets with it.
#
# OWNER    uid:gid
# CLEARED  folders at the top of each drive that are removed before, separated by spaces
# DRIVES   folder with the drives
# FILES    folder of the secrets
set -eu
for drive in "$DRIVES"/*; do
    for folder in $CLEARED; do rm -rf "${drive:?}/$folder"; done
    chown -R "$OWNER" "$drive"
done
chown "$OWNER" "$FILES"
sync
