import pulumi
from pulumi_docker_object_store import Policy, StoreReferenceArgs

reports = Policy(
    "reports",
    store=StoreReferenceArgs(name="object-store-prod"),
    read=["photos"],
    read_write=["photos/reports/"],
)

pulumi.export("policyName", reports.policy_name)
