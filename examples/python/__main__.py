import pulumi
from pulumi_docker_object_store import ObjectStore

config = pulumi.Config()

store = ObjectStore(
    "store",
    store_name=f"{pulumi.get_project()}-{pulumi.get_stack()}",
    profile=config.get("profile"),
    image=config.get("image"),
    haproxy_image=config.get("haproxyImage"),
    s3_host=config.require("s3Host"),
    console_host=config.require("consoleHost"),
    http_port=config.require_int("httpPort"),
    https_port=config.require_int("httpsPort"),
    publish_address=config.require("publishAddress"),
)

pulumi.export("s3Endpoint", store.s3_endpoint)
pulumi.export("consoleUrl", store.console_url)
pulumi.export("accessKey", store.access_key)
pulumi.export("secretKey", store.secret_key)
pulumi.export("caCertificate", store.ca_certificate)
pulumi.export("volumeNames", store.volume_names)
