# Gives drives without a store's data to its user. Drives with data stay as they are.
#
# OWNER    uid:gid
# FORMATS  files of which a drive with data has one, separated by spaces
# DRIVES   folder with the drives
set -eu
for drive in "$DRIVES"/*; do
    for file in $FORMATS; do [ ! -e "$drive/$file" ] || continue 2; done
    chown "$OWNER" "$drive"
    chmod 0700 "$drive"
done
