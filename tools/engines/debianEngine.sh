#!/bin/sh
# A Docker engine of a Debian release beside this machine's own: its root folder is of that release, its network namespace
# is its own. Needs root.
#
#   debianEngine.sh up FOLDER…  starts the engine; it sees these folders of this machine at their own paths
#   debianEngine.sh down        ends it, and its containers
#
# NAME is that of its network namespace and control group. ROOT is the root folder. STATE is the folder for its data, log and
# socket, which is STATE/docker.sock.
set -eu

: "${NAME:?}" "${ROOT:?}" "${STATE:?}"

case $1 in
up)
    shift
    ip netns add "$NAME"
    ip -n "$NAME" link set lo up
    mkdir -p "$STATE"
    # In a session of its own: Ctrl-C in the terminal of a command doesn't reach it. What is mounted later on this machine is
    # seen there too, as volumes of containers need it.
    setsid nsenter --net="/run/netns/$NAME" unshare --mount --propagation slave \
        "$(readlink -f "$0")" enter "$STATE" "$@" >>"$STATE/dockerd.log" 2>&1 &
    ;;
enter) # for itself, in the namespaces of the engine
    shift
    mount --bind "$ROOT" "$ROOT"
    for folder in /dev /proc /sys "$@"; do
        mkdir -p "$ROOT$folder"
        mount --rbind "$folder" "$ROOT$folder"
    done
    mount -t tmpfs none "$ROOT/run"
    # Not chroot: `docker exec` would enter the root folder of this machine then, and not that of the container.
    mkdir -p "$ROOT/mnt/machine"
    cd "$ROOT"
    pivot_root . mnt/machine
    umount --lazy /mnt/machine
    exec dockerd --data-root "$STATE/data" --exec-root /run/docker --pidfile "$STATE/dockerd.pid" \
        --host "unix://$STATE/docker.sock" --cgroup-parent "/$NAME"
    ;;
down)
    # The engine first: it would start containers again. Containers have network namespaces of their own.
    for process in $(ip netns pids "$NAME"); do
        kill -9 "$process" 2>/dev/null || true
    done
    find /sys/fs/cgroup -path "*/$NAME/*" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u |
        while read -r process; do kill -9 "$process" 2>/dev/null || true; done
    sleep 1
    find /sys/fs/cgroup -depth -type d -path "*/$NAME*" -exec rmdir {} + 2>/dev/null || true
    ip netns del "$NAME"
    rm -rf "$STATE"
    ;;
*)
    echo "debianEngine.sh: \"$1\" is not a command" >&2
    exit 2
    ;;
esac
