# Makes sure that the folder of ACME certificates has a certificate to serve, before a configuration that names it is checked.
#
# CERTIFICATES  folder of the obtained certificates; its link CURRENT points to the current one
# CURRENT       name of that link
# FORMER        folder of the proxy's current files, empty if there are none
# HOSTNAMES     names that the certificate must cover, separated by spaces
# ORDER         the order that the certificate is obtained for
# DAYS          validity of a temporary certificate, in days
#
# The current certificate stays until the new one exists. A temporary one, which no client trusts, is created only if there is
# no valid one. An expired certificate is never used.
# The folder belongs to another user, so a link in it may lead anywhere: one that leads to no version in it doesn't count.
set -eu
umask 077
in_use=$CERTIFICATES/$CURRENT
case $(readlink "$in_use" || true) in
    */*) rm "$in_use" ;;
    "" | version.?*) ;;
    *) rm "$in_use" ;;
esac
in_force=${FORMER:+$FORMER/certificate.pem}
obtained=$in_use/certificate.pem

is_valid() { openssl x509 -in "$1" -noout -checkend 0 > /dev/null 2>&1; }

covers() {
    for host in $HOSTNAMES; do
        case "$(openssl x509 -in "$1" -noout -checkhost "$host" 2>&1)" in
            *"does match"*) ;;
            *) return 1 ;;
        esac
    done
}

is_sound() { [ -e "$1" ] && is_valid "$1" && covers "$1"; }

# Makes the PEM of a folder the current one.
take() {
    end=$(openssl x509 -in "$1/certificate.pem" -noout -enddate)
    printf 'not_after %s\nrenewal_failures 0\n' "$(date -d "${end#*=}" +%s)" > "$1/values"
    chown -R "$(stat -c %u:%g "$CERTIFICATES")" "$1"
    former=$(readlink "$in_use" || true)
    # After a power failure, the link must not lead to files whose content was never written.
    sync "$1"/*
    ln -sfn "${1##*/}" "$CERTIFICATES/prepared"
    mv -T "$CERTIFICATES/prepared" "$in_use"
    [ -z "$former" ] || rm -rf "${CERTIFICATES:?}/$former"
}

# An ACME certificate is already current: the script that loads the next one maintains it.
if [ -n "$FORMER" ] && [ ! -e "$in_force" ] && openssl x509 -in "$obtained" -noout 2> /dev/null; then exit 0; fi

# A certificate that was obtained for the same order earlier, before another kind of certificate was served for a while.
deployed=$(cat "$in_use/deployed" 2> /dev/null || true)
if [ "${deployed#* }" = "$ORDER" ] && is_sound "$obtained"; then exit 0; fi

next=$(mktemp -d "$CERTIFICATES/version.XXXXXXXX")
trap 'rm -rf "$next" "$CERTIFICATES/prepared"' EXIT
if is_sound "$in_force" || { ! is_sound "$obtained" && is_valid "$in_force"; }; then
    cp "$in_force" "$next/certificate.pem"
    echo "the certificate in force stays until one is obtained"
elif is_sound "$obtained"; then
    echo "a certificate that was obtained before is served until another one is obtained"
    exit 0
else
    names=
    for host in $HOSTNAMES; do names=${names:+$names,}DNS:$host; done
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$DAYS" -subj "/CN=temporary" \
        -addext "subjectAltName=$names" -keyout "$next/key" -out "$next/certificate.pem" 2> "$next/said" ||
        { cat "$next/said"; exit 1; }
    cat "$next/key" >> "$next/certificate.pem"
    rm "$next/key" "$next/said"
    echo "no valid certificate is there: a temporary one, which nobody trusts, is served until one is obtained"
fi
take "$next"
trap - EXIT
