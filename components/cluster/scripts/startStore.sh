# Prepares the start of a store, whose program and arguments are this script's arguments: takes the secrets that its container was made
# for. Ends without a store where there are no root keys: it would take the vendor's, or those of the image, which everybody knows.
# `exec "$@"` follows, or superviseStore.sh.
#
# SECRETS_VERSION        version of these secrets
# _FOLDER                where secrets are mounted
# _OF_VERSION, _CURRENT  how the name of the link to a version's files begins, and the link to those in force
# _ROOT_KEYS             names of the variables with the root keys, separated by spaces

# Other files may have been written since, for the next container.
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
