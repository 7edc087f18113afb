#!/bin/sh
# Hosts on one machine: network namespaces on one Ethernet, each with a Docker engine of its own. Needs root.
#
#   virtualHosts.sh up COUNT      makes the hosts 1 to COUNT and a client, and starts the engines; creates only what is missing
#   virtualHosts.sh start HOST    starts the engine of a host again, on the Ethernet
#   virtualHosts.sh stop HOST     ends the engine of a host, and with it its containers
#   virtualHosts.sh crash HOST    kills the engine of a host and its containerd, and starts it again; the containers go on meanwhile
#   virtualHosts.sh kill HOST     takes a host off the Ethernet and kills all its processes, as a loss of power does
#   virtualHosts.sh cut HOST      takes a host off the Ethernet
#   virtualHosts.sh plug HOST     puts it back
#   virtualHosts.sh lose HOST in|out            loses every packet that arrives at a host, or that leaves it
#   virtualHosts.sh pass HOST in|out            ends that
#   virtualHosts.sh disk HOST SIZE VOLUME …     gives a host a disk of its own, in memory, with the files of these volumes
#   virtualHosts.sh fill HOST                   fills that disk
#   virtualHosts.sh empty HOST                  removes what filled it
#   virtualHosts.sh block HOST PROTOCOL PORT    lets nothing arrive at a port of a host
#   virtualHosts.sh unblock HOST PROTOCOL PORT  ends that
#   virtualHosts.sh down          removes everything
#
# PREFIX begins the names of the namespaces. FOLDER holds data, sockets and logs. NETWORK is the first three numbers of the
# addresses: host 1 is NETWORK.1, the client NETWORK.254. An engine listens at FOLDER/HOST/docker.sock, unless there is a
# daemon.json beside it that says otherwise.
set -eu

: "${PREFIX:?}" "${FOLDER:?}" "${NETWORK:?}"

# The bridge is in a namespace of its own: the firewall of this machine's engine drops what another bridge forwards.
lan="$PREFIX-lan"

plug_in() { # name, number of the port, address
    [ ! -e "/run/netns/$PREFIX-$1" ] || return 0
    ip netns add "$PREFIX-$1"
    ip link add "port$2" netns "$lan" type veth peer name eth0 netns "$PREFIX-$1"
    ip -n "$lan" link set "port$2" master bridge0 up
    ip -n "$PREFIX-$1" addr add "$3/24" dev eth0
    ip -n "$PREFIX-$1" link set eth0 up
    ip -n "$PREFIX-$1" link set lo up
}

# Whether the process in a file is one of a host: its number may belong to another process since the machine was started.
is_of_host() { # host, file
    [ -e "$2" ] && [ "$(stat -Lc %i "/proc/$(cat "$2")/ns/net" 2>/dev/null)" = "$(stat -Lc %i "/run/netns/$PREFIX-$1")" ]
}

# The holder has its own /run once the command that it becomes is running.
start_holder() {
    mkdir -p "$FOLDER/$1"
    setsid nsenter --net="/run/netns/$PREFIX-$1" unshare --mount \
        sh -c 'mount -t tmpfs none /run && exec sleep infinity' >/dev/null 2>&1 &
    echo $! >"$FOLDER/$1/holder"
    until [ "$(cat "/proc/$!/comm")" = sleep ]; do sleep 0.05; done
}

# An engine that is started again needs the mounts of the former one, so a process holds their namespace. What the former
# engine has left in /run, which a reboot empties, would keep the next one from starting.
start_engine() {
    [ -e "$FOLDER/$1/daemon.json" ] || echo "{\"hosts\": [\"unix://$FOLDER/$1/docker.sock\"]}" >"$FOLDER/$1/daemon.json"
    holder=$(cat "$FOLDER/$1/holder")
    rm -f "$FOLDER/$1/dockerd.pid"
    nsenter -t "$holder" -m "$(readlink -f "$0")" empty-run
    run_engine "$1"
}

run_engine() {
    holder=$(cat "$FOLDER/$1/holder")
    # In a session of its own: Ctrl-C in the terminal of a command doesn't reach it.
    setsid nsenter -t "$holder" -m -n dockerd --data-root "$FOLDER/$1/data" --exec-root /run/docker \
        --pidfile "$FOLDER/$1/dockerd.pid" --config-file "$FOLDER/$1/daemon.json" \
        --cgroup-parent "/$PREFIX-$1" --default-address-pool base=10.98.0.0/16,size=24 >>"$FOLDER/$1/dockerd.log" 2>&1 &
}

# Every process of a host but the holder of its namespaces: first the engine, which would start containers again, then the
# containers, which have network namespaces of their own.
kill_all() {
    for process in $(ip netns pids "$PREFIX-$1"); do
        [ "$process" = "$(cat "$FOLDER/$1/holder" 2>/dev/null)" ] || kill -9 "$process" 2>/dev/null || true
    done
    find /sys/fs/cgroup -path "*/$PREFIX-$1/*" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u |
        while read -r process; do kill -9 "$process" 2>/dev/null || true; done
}

case $1 in
up)
    if [ ! -e "/run/netns/$lan" ]; then
        ip netns add "$lan"
        ip -n "$lan" link add bridge0 type bridge
        ip -n "$lan" link set bridge0 up
    fi
    plug_in client 254 "$NETWORK.254"
    for host in $(seq 1 "$2"); do
        plug_in "$host" "$host" "$NETWORK.$host"
        is_of_host "$host" "$FOLDER/$host/holder" || start_holder "$host"
        ip -n "$lan" link set "port$host" up
        is_of_host "$host" "$FOLDER/$host/dockerd.pid" || start_engine "$host"
    done
    ;;
start)
    ip -n "$lan" link set "port$2" up
    start_engine "$2"
    ;;
stop)
    kill "$(cat "$FOLDER/$2/dockerd.pid")"
    while [ -e "$FOLDER/$2/dockerd.pid" ]; do sleep 0.1; done
    kill_all "$2"
    ;;
crash) # what the former engine has left in /run belongs to the containers
    kill -9 "$(cat "$FOLDER/$2/dockerd.pid")"
    rm "$FOLDER/$2/dockerd.pid"
    nsenter -t "$(cat "$FOLDER/$2/holder")" -m "$(readlink -f "$0")" end-containerd
    run_engine "$2"
    ;;
kill)
    ip -n "$lan" link set "port$2" down
    kill_all "$2"
    rm -f "$FOLDER/$2/dockerd.pid"
    ;;
cut)
    ip -n "$lan" link set "port$2" down
    ;;
plug)
    ip -n "$lan" link set "port$2" up
    ;;
lose | pass) # also what is forwarded to and from containers; an Ethernet address is still found
    rule=--insert
    [ "$1" = lose ] || rule=--delete
    if [ "$3" = in ]; then
        set -- "$2" raw PREROUTING --in-interface
    else
        set -- "$2" mangle POSTROUTING --out-interface
    fi
    nsenter --net="/run/netns/$PREFIX-$1" iptables --wait --table "$2" "$rule" "$3" "$4" eth0 --jump DROP
    ;;
disk)
    disk=$FOLDER/$2/disk
    size=$3
    holder=$(cat "$FOLDER/$2/holder")
    mkdir -p "$disk"
    nsenter -t "$holder" -m mount -t tmpfs -o "size=$size" none "$disk"
    data=$FOLDER/$2/data/volumes
    shift 3
    for volume; do
        nsenter -t "$holder" -m mkdir "$disk/$volume"
        nsenter -t "$holder" -m mount --bind "$disk/$volume" "$data/$volume/_data"
    done
    ;;
fill) # at once where the file system can; ends with "no space left"
    holder=$(cat "$FOLDER/$2/holder")
    disk=$FOLDER/$2/disk
    free=$(nsenter -t "$holder" -m df --output=avail --block-size=1 "$disk" | tail -n 1)
    nsenter -t "$holder" -m fallocate --length "$free" "$disk/ballast" || true
    nsenter -t "$holder" -m dd if=/dev/zero of="$disk/ballast" bs=64K oflag=append conv=notrunc 2>/dev/null || true
    ;;
empty)
    nsenter -t "$(cat "$FOLDER/$2/holder")" -m rm "$FOLDER/$2/disk/ballast"
    ;;
block | unblock) # with iptables, which the engines need too
    rule=--insert
    [ "$1" = block ] || rule=--delete
    nsenter --net="/run/netns/$PREFIX-$2" iptables --wait "$rule" INPUT --protocol "$3" --dport "$4" --jump DROP
    ;;
end-containerd) # for itself, in the mount namespace of a host: an engine takes over the former one's, if that runs
    kill -9 "$(cat /run/docker/containerd/containerd.pid)"
    rm /run/docker/containerd/containerd.pid
    ;;
empty-run) # for itself, in the mount namespace of a host
    awk '$2 ~ "^/run/(docker|containerd)/" { print $2 }' /proc/mounts | while read -r mount; do
        umount --lazy "$mount" 2>/dev/null || true
    done
    rm -rf /run/docker /run/containerd
    mkdir -p /run/docker
    ;;
down)
    names=$(ip netns list | awk -v prefix="$PREFIX-" 'index($1, prefix) == 1 { print substr($1, length(prefix) + 1) }')
    for name in $names; do
        kill_all "$name"
        ! is_of_host "$name" "$FOLDER/$name/holder" || kill -9 "$(cat "$FOLDER/$name/holder")"
    done
    sleep 1
    find /sys/fs/cgroup -depth -type d -path "*/$PREFIX-[0-9]*" -exec rmdir {} + 2>/dev/null || true
    for name in $names; do
        ip netns del "$PREFIX-$name"
    done
    rm -rf "$FOLDER"
    ;;
*)
    echo "virtualHosts.sh: \"$1\" is not a command" >&2
    exit 2
    ;;
esac
