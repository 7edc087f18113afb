import pulumi
from pulumi_docker_object_store import (
    AlikeOnAllNodesArgs,
    DrivePlaceArgs,
    NodePlaceArgs,
    RestrictedPathsArgs,
    ServiceProfileArgs,
    ServiceVariablesArgs,
    StorageNode,
)

node = StorageNode(
    "node1",
    profile=ServiceProfileArgs(
        name="service",
        user="10001:10001",
        command=["service"],
        variables=ServiceVariablesArgs(
            access_key="SERVICE_ACCESS_KEY",
            secret_key="SERVICE_SECRET_KEY",
            volumes="SERVICE_VOLUMES",
            address="SERVICE_ADDRESS",
            console_address="SERVICE_CONSOLE_ADDRESS",
            console_enable="SERVICE_CONSOLE_ENABLE",
        ),
        environment={},
        s3_health_path="/health/ready",
        console_health_path="/console/health",
        settle_seconds=0,
        format_file=".service.sys/format.json",
        alike_on_all_nodes=AlikeOnAllNodesArgs(image=False, variables=["SERVICE_VOLUMES"]),
        restricted_paths=RestrictedPathsArgs(admin=["/service/admin/*"], console_admin=[], internal=[]),
        minimum_access_key_length=3,
        minimum_secret_key_length=8,
        minimum_drives_per_set=2,
        maximum_drives_per_set=16,
    ),
    image="registry.example.com/store:1.0.0",
    cluster_name="archive",
    network_name="archive-nodes",
    place=NodePlaceArgs(
        name="archive-node1",
        server_name="node1",
        address="10.30.0.11",
        drives=[DrivePlaceArgs(volume_name="archive-node1-drive1", mount_path="/data/drive1", labels={})],
    ),
    environment={"SERVICE_VOLUMES": "/data/drive1"},
    secret_environment={},
)

pulumi.export("nodeName", node.node_name)
pulumi.export("volumeNames", node.volume_names)
