# Connects to all targets at once, and prints each with the result:
#
#   connected    a program accepted the connection
#   refused      the target's host refused it, because no program listens at the port
#   unreachable  no packet could be sent: the address is unknown in its network
#   silent       there was no answer
#
# $1    time limit of a connection, in seconds
# $2..  targets, as ADDRESS:PORT
limit=$1
shift
for target; do
    {
        answer=$(LC_ALL=C curl --silent --verbose --noproxy "*" --connect-timeout "$limit" --max-time "$((limit + 2))" \
            --write-out '[connected after %{time_connect} s]' "http://$target/" 2>&1)
        case "$answer" in
        *"[connected after 0.000000 s]"*)
            case "$answer" in
            *efused*) result=refused ;;
            *"oute to host"* | *nreachable*) result=unreachable ;;
            *) result=silent ;;
            esac
            ;;
        *"[connected after "*) result=connected ;;
        *) result="$answer" ;;
        esac
        printf '%s %.200s\n' "$target" "$result"
    } &
done
wait
