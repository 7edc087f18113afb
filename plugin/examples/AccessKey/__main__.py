import pulumi
from pulumi_docker_object_store import AccessKey, StoreReferenceArgs

app = AccessKey("app", store=StoreReferenceArgs(name="object-store-prod"), policies=["readonly"])

pulumi.export("accessKey", app.access_key)
pulumi.export("secretKey", app.secret_key)
