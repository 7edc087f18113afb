# Lists what two stores have written about who may use them. Its arguments are the folders of drives. Prints a line for each entry that
# it finds: the store, and the entry. It uses only the shell.
#
# _FOLDERS  stores and their folders on each drive: STORE:FOLDER, separated by spaces
# _KINDS    folders in these with one entry each for a user, a policy or the like, separated by spaces
for _drive; do
    for _folder in $_FOLDERS; do
        for _kind in $_KINDS; do
            for _entry in "$_drive/${_folder#*:}/$_kind"/* "$_drive/${_folder#*:}/$_kind"/.[!.]* "$_drive/${_folder#*:}/$_kind"/..?*; do
                [ ! -e "$_entry" ] || printf '%s %s/%s\n' "${_folder%%:*}" "$_kind" "${_entry##*/}"
            done
        done
    done
done
