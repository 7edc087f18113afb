# Sends requests to the store in this container, signed with its root keys, and prints the answers. Its arguments are the requests' paths
# with their queries.
#
# SECRETS_VERSION          version of the secrets that the container was made for
# _FOLDER                  folder that the secrets are mounted at
# _OF_VERSION, _CURRENT    as in startStore.sh
# _ACCESS_KEY, _SECRET_KEY names of the variables with the root keys
# _URL                     URL of the store
# _METHOD, _BODY           method of the requests, and the content of those that have one
# _DIGEST_BYTES            empty: each answer's content is printed, then a line with its status and curl's exit code. Otherwise the number of
#                          bytes of an object that are read: a line for each path has the status, the ETag, the length, the range and the digest
set -eu
_secrets=$_FOLDER/$_OF_VERSION$SECRETS_VERSION
[ -e "$_secrets" ] || _secrets=$_FOLDER/$_CURRENT
# shellcheck disable=SC1091 # made by the cluster
. "$_secrets/environment"
_region=${MINIO_REGION-${MINIO_SITE_REGION-${RUSTFS_REGION-us-east-1}}}

# Prints a value as curl's configuration reads it.
quoted() {
    _rest=$1
    printf '"'
    while [ -n "$_rest" ]; do
        _next=${_rest#?}
        case ${_rest%"$_next"} in [\\\"]) printf "\\\\" ;; esac
        printf %s "${_rest%"$_next"}"
        _rest=$_next
    done
    printf '"'
}

# The keys are no arguments, which every user of the host could see.
ask() {
    eval "_user=\$$_ACCESS_KEY:\$$_SECRET_KEY"
    # shellcheck disable=SC2154 # by eval
    printf 'user = %s\n' "$(quoted "$_user")" |
        curl --config - --noproxy '*' --silent --show-error --max-time 60 --aws-sigv4 "aws:amz:$_region:s3" "$@"
}

if [ -z "$_DIGEST_BYTES" ]; then
    for _path; do
        shift
        set -- "$@" "$_URL$_path"
    done
    [ -z "$_BODY" ] || set -- --data-binary "$_BODY" "$@"
    ask --request "$_METHOD" --write-out '\n=== %{http_code} %{exitcode}\n' "$@"
    exit
fi
for _path; do
    _digest=$(ask --range "0-$((_DIGEST_BYTES - 1))" \
        --write-out '%{stderr}%{http_code} %header{etag} %header{content-length} %header{content-range}' "$_URL$_path" 2> /tmp/asked | sha256sum)
    printf '%s %s\n' "$(tr '\n' ' ' < /tmp/asked)" "${_digest%% *}"
done
