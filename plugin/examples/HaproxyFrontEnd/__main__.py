import pulumi
from pulumi_docker_object_store import HaproxyFrontEnd, StorageCluster

cluster = StorageCluster("cluster", cluster_name="archive")
front_end = HaproxyFrontEnd(
    "front-end",
    front_end_name="archive",
    cluster=cluster.endpoints,
    s3_host="s3.example.com",
    console_host="console.example.com",
)

pulumi.export("s3Endpoint", front_end.s3_endpoint)
pulumi.export("consoleUrl", front_end.console_url)
