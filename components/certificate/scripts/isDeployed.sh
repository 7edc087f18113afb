# Succeeds if the served certificate was obtained for ORDER. Otherwise it prints the last known failure.
#
# ACME_DIRECTORY, CERTIFICATE_DIRECTORY, CURRENT   as in loadCertificate.sh
deployed=$(cat "$CERTIFICATE_DIRECTORY/$CURRENT/deployed" 2> /dev/null)
[ "${deployed#* }" = "$ORDER" ] && exit 0
cat "$ACME_DIRECTORY/last-failure" 2> /dev/null || echo "no certificate was obtained yet"
exit 1
