import pulumi
from pulumi_docker_object_store import Bucket, BucketLifecycleRuleArgs, StoreReferenceArgs

photos = Bucket(
    "photos",
    store=StoreReferenceArgs(name="object-store-prod"),
    bucket_name="photos",
    versioning=True,
    lifecycle=[BucketLifecycleRuleArgs(id="temporary", prefix="tmp/", expire_days=7)],
)

pulumi.export("bucketName", photos.bucket_name)
