import pulumi
from pulumi_docker_object_store import PoolArgs, StorageCluster

cluster = StorageCluster(
    "cluster",
    cluster_name="archive",
    profile="minio",
    pools=[PoolArgs(node_count=4, drives_per_node=2)],
    allow_drives_on_one_device=True,
)

pulumi.export("nodeNames", cluster.node_names)
pulumi.export("volumeNames", cluster.volume_names)
