import pulumi
from pulumi_docker_object_store import ObjectStore

store = ObjectStore(
    "store",
    s3_host="s3.example.com",
    console_host="console.example.com",
    node_count=4,
    drive_paths=[[f"/mnt/disk{disk}/object-store"] for disk in range(1, 5)],
)

pulumi.export("s3Endpoint", store.s3_endpoint)
pulumi.export("accessKey", store.access_key)
pulumi.export("secretKey", store.secret_key)
