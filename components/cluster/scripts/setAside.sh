# Renames folders of a former store on the drives whose folders are its arguments. It uses only the shell and mv.
#
# _FOLDERS  folders of each drive, separated by spaces
# _SUFFIX   what is added to their names; handOver.sh takes it away again
set -eu
for _drive; do
    for _folder in $_FOLDERS; do
        [ -d "$_drive/$_folder" ] || continue
        [ ! -e "$_drive/$_folder$_SUFFIX" ] || {
            echo "$_drive/$_folder$_SUFFIX exists already"
            exit 1
        }
        mv "$_drive/$_folder" "$_drive/$_folder$_SUFFIX"
    done
done
