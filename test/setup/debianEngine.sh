#!/bin/sh
# A Docker engine of a Debian release beside this machine's own: its root folder is of that release, its network namespace
# is its own. Needs root.
#
#   debianEngine.sh up FOLDER…  starts the engine; it sees these folders of this machine at their own paths
#   debianEngine.sh down        ends it, and its containers
#
# NAME is that of its network namespace and control group. ROOT is the root folder. STATE is the folder for its data, log and
# socket, which is STATE/docker.sock. If there is a program STATE/dockerd, that is the engine. MODE is `root`, `userns` (users
# of containers are others on the machine) or `rootless` (the engine is an unprivileged user's).
set -eu

: "${NAME:?}" "${ROOT:?}" "${STATE:?}" "${MODE:?}"

# Makes a user with subordinate users, and runs the engine as this user.
rootless() {
    user=rootless
    id "$user" >/dev/null 2>&1 || useradd --create-home "$user"
    grep -q "^$user:" /etc/subuid || usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$user"
    # The machine's own may be root's alone.
    test -c /dev/net/tun || { echo "there is no /dev/net/tun: load the kernel module tun" >&2; exit 1; }
    mount -t tmpfs none /dev/net
    mknod --mode 666 /dev/net/tun c 10 200
    sysctl --quiet --write net.ipv4.ip_unprivileged_port_start=0
    runtime=/run/user/$(id -u "$user")
    mkdir -p "$runtime"
    chown "$user:" "$runtime" "$STATE"
    exec setpriv --reuid "$user" --regid "$user" --init-groups \
        env "HOME=/home/$user" "XDG_RUNTIME_DIR=$runtime" "PATH=$STATE:/usr/share/docker.io/contrib:/usr/sbin:/usr/bin:/sbin:/bin" \
        dockerd-rootless.sh "$@"
}

case $1 in
up)
    shift
    ip netns add "$NAME"
    ip -n "$NAME" link set lo up
    mkdir -p "$STATE"
    # In a session of its own: Ctrl-C in the terminal of a command doesn't reach it. What is mounted later on this machine is
    # seen there too, as volumes of containers need it.
    set -- "$(readlink -f "$0")" enter "$STATE" "$@"
    # The containers of one without root are in no control group of it: they end with its process namespace.
    test "$MODE" != rootless || set -- --pid --fork --kill-child "$@"
    setsid nsenter --net="/run/netns/$NAME" unshare --mount --propagation slave "$@" >>"$STATE/dockerd.log" 2>&1 &
    ;;
enter) # for itself, in the namespaces of the engine
    shift
    mount --bind "$ROOT" "$ROOT"
    for folder in /dev /sys "$@"; do
        mkdir -p "$ROOT$folder"
        mount --rbind "$folder" "$ROOT$folder"
    done
    mount -t proc none "$ROOT/proc"
    mount -t tmpfs none "$ROOT/run"
    # Not chroot: `docker exec` would enter the root folder of this machine then, and not that of the container.
    mkdir -p "$ROOT/mnt/machine"
    cd "$ROOT"
    pivot_root . mnt/machine
    umount --lazy /mnt/machine
    PATH=$STATE:$PATH
    # Users of containers have to reach its data.
    chmod 711 "$STATE"
    set -- --data-root "$STATE/data" --pidfile "$STATE/dockerd.pid" --host "unix://$STATE/docker.sock"
    test "$MODE" != rootless || rootless "$@"
    test "$MODE" != userns || set -- "$@" --userns-remap default
    exec dockerd "$@" --exec-root /run/docker --cgroup-parent "/$NAME"
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
    rm -rf "$STATE"
    # There is none if the engine was never started.
    ip netns del "$NAME" 2>/dev/null || true
    ;;
*)
    echo "debianEngine.sh: \"$1\" is not a command" >&2
    exit 2
    ;;
esac
