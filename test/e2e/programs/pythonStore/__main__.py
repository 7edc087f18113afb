"""The components that ObjectStore is made of, each with resource options."""

import pulumi
import pulumi_docker_object_store as object_store

config = pulumi.Config()

engine = pulumi.ProviderResource(
    "docker",
    "engine",
    {"host": config.require("dockerHost")},
    pulumi.ResourceOptions(version=config.require("dockerVersion")),
)
store = object_store.StorageCluster(
    "store",
    cluster_name=config.require("clusterName"),
    profile="minio",
    image=config.require("image"),
    secret_key=config.require_secret("rootKey"),
    secret_environment={"MINIO_SITE_NAME": config.require_secret("siteName")},
    pools=[object_store.PoolArgs(node_count=1, drives_per_node=1)],
    ready_timeout=config.require_int("readyTimeout"),
    retain_data=False,
    opts=pulumi.ResourceOptions(providers=[engine], protect=True),
)
front_end = object_store.HaproxyFrontEnd(
    "front-end",
    front_end_name=config.require("clusterName"),
    cluster=store.endpoints,
    image=config.require("haproxyImage"),
    s3_host="s3.localhost",
    console_host="console.localhost",
    http_port=config.require_int("httpPort"),
    https_port=config.require_int("httpsPort"),
    publish_address="127.0.0.1",
    certificate=object_store.CertificateArgs(pem=config.require_secret("certificatePem")),
    retain_certificates=False,
    opts=pulumi.ResourceOptions(providers=[engine], depends_on=[store]),
)

pulumi.export("s3Endpoint", front_end.s3_endpoint)
pulumi.export("consoleUrl", front_end.console_url)
pulumi.export("caCertificate", front_end.ca_certificate)
pulumi.export("certificateNotAfter", front_end.certificate_not_after)
pulumi.export("accessKey", store.access_key)
pulumi.export("secretKey", store.secret_key)
pulumi.export("nodeNames", store.node_names)
pulumi.export("volumeNames", store.volume_names)
pulumi.export("firstServer", store.endpoints.servers[0].name)
