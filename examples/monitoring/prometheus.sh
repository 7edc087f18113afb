#!/bin/sh
# Starts Prometheus beside a deployment, or again with the files and the nodes as they are now; what it has gathered stays.
#   sh examples/monitoring/prometheus.sh CLUSTER_NAME [PORT]
set -eu
cluster=${1:?give the name of the cluster, which containers begin with: object-store-dev}
port=${2:-9090}
image=${PROMETHEUS_IMAGE:-prom/prometheus:v3.5.3}
prometheus=$cluster-prometheus
label=docker-object-store

if ! docker network inspect "$cluster-nodes" > /dev/null 2>&1; then
    echo "there is no cluster $cluster on this engine: docker network ls has $cluster-nodes where there is" >&2
    exit 1
fi

# Names of containers on the node network with a port each, as Prometheus reads targets.
targets() {
    list=$(docker ps --all --filter "label=$1" --filter "network=$cluster-nodes" --format "\"{{.Names}}:$2\"" | sort)
    printf '[{"targets": [%s]}]\n' "$(echo "$list" | paste -s -d , -)"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$(dirname "$0")/prometheus/." "$folder"
mkdir -p "$folder/targets"
# Without a token, MinIO refuses.
[ -e "$folder/minio-token" ] || : > "$folder/minio-token"
targets "$label.front-end" 8404 > "$folder/targets/proxy.json"
if docker volume ls --filter "label=$label.cluster=$cluster" --filter "label=$label.profile=minio" --quiet | grep -q .; then
    targets "$label.cluster=$cluster" 9000 > "$folder/targets/minio.json"
fi
chmod -R a+rX "$folder"

# The node network is internal, so nothing is published on it: a network of its own does that.
docker network inspect "$prometheus" > /dev/null 2>&1 || docker network create "$prometheus" > /dev/null
docker rm --force "$prometheus" > /dev/null 2>&1 || true
docker create --name "$prometheus" --network "$prometheus" --publish "127.0.0.1:$port:9090" \
    --restart unless-stopped --cap-drop ALL --security-opt no-new-privileges \
    --add-host host.docker.internal:host-gateway --volume "$prometheus:/prometheus" \
    "$image" --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus \
    --storage.tsdb.retention.time=30d --web.enable-otlp-receiver > /dev/null
docker cp "$folder/." "$prometheus:/etc/prometheus"
docker network connect "$cluster-nodes" "$prometheus"
docker start "$prometheus" > /dev/null
echo "Prometheus: http://127.0.0.1:$port"
if docker volume ls --filter "label=$label.cluster=$cluster" --filter "label=$label.profile=rustfs" --quiet | grep -q .; then
    echo "RustFS sends its own metrics if its environment has RUSTFS_OBS_ENDPOINT=http://$prometheus:9090/api/v1/otlp (README.md)"
fi
