# Succeeds when the certificate in force was obtained for ORDER; else it prints what is known.
#
# ACME_DIRECTORY, CERTIFICATE_DIRECTORY, CURRENT   as loadCertificate.sh takes them
deployed=$(cat "$CERTIFICATE_DIRECTORY/$CURRENT/deployed" 2> /dev/null)
[ "${deployed#* }" = "$ORDER" ] && exit 0
cat "$ACME_DIRECTORY/last-failure" 2> /dev/null || echo "no certificate was obtained yet"
exit 1
