# Prepares the start of a store. The script's arguments are the store's program and the arguments of that. It reads the version of the
# secrets that the container was made for. It ends without starting the store if a root key is missing: the store would use the publicly
# known keys of its vendor or of the image. The text that follows is `exec "$@"` or superviseStore.sh.
#
# SECRETS_VERSION        version of these secrets
# _FOLDER                folder that the secrets are mounted at
# _OF_VERSION, _CURRENT  prefix of the name of the link to a version's files, and name of the link to the current files
# _ROOT_KEYS             names of the variables with the root keys, separated by spaces

# Newer files may have been written since, for the next container.
_secrets=$_FOLDER/$_OF_VERSION$SECRETS_VERSION
[ -e "$_secrets" ] || _secrets=$_FOLDER/$_CURRENT
for _name in $_ROOT_KEYS SECRETS_VERSION; do unset "$_name"; done
set -a
# shellcheck disable=SC1091 # made by the cluster
. "$_secrets/environment" || exit 1
set +a
[ ! -e "$_secrets/ca-bundle.crt" ] || export SSL_CERT_FILE="$_secrets/ca-bundle.crt"
for _name in $_ROOT_KEYS; do
    eval "_value=\${$_name-}"
    # shellcheck disable=SC2154,SC3028 # by eval; Docker sets HOSTNAME
    if [ -z "$_value" ]; then
        echo "$_name: is not in $_FOLDER/$_CURRENT/environment: remove the container $HOSTNAME-prepare, then run pulumi refresh and pulumi up" >&2
        exit 2
    fi
done
unset _name _value
