"""What a user does with boto3, with its default client; bytes compared. Fails at the first difference."""

import io
import os
import sys

import boto3
import urllib3
from botocore.config import Config
from botocore.exceptions import ClientError

bucket = sys.argv[1]
s3 = boto3.client("s3")
http = urllib3.PoolManager(ca_certs=os.environ["AWS_CA_BUNDLE"])


def expect(actual, expected):
    if actual != expected:
        raise SystemExit(f"expected {str(expected)[:200]}, got {str(actual)[:200]}")


def content_of(key):
    return s3.get_object(Bucket=bucket, Key=key)["Body"].read()


s3.create_bucket(Bucket=bucket)

# One request: botocore adds a CRC by default, and verifies the CRC of the response.
small = os.urandom(1000)
answer = s3.put_object(Bucket=bucket, Key="small", Body=small)
expect("ChecksumCRC32" in answer, True)
expect(content_of("small"), small)

# Multipart transfers in several threads, in both directions.
large = os.urandom(64 * 1024 * 1024)
with open("/tmp/up", "wb") as file:
    file.write(large)
s3.upload_file("/tmp/up", bucket, "large")
expect(s3.head_object(Bucket=bucket, Key="large")["ETag"].endswith('-8"'), True)
s3.download_file(bucket, "large", "/tmp/down")
with open("/tmp/down", "rb") as file:
    expect(file.read() == large, True)

# Refused before its body was sent, without retries: the next request on the same connection is not affected.
once = boto3.client("s3", config=Config(retries={"max_attempts": 0}, max_pool_connections=1))
for number in range(10):
    once.put_object(Bucket=bucket, Key="condition", Body=io.BytesIO(small))
    once.put_object(Bucket=bucket, Key="condition-removed", Body=io.BytesIO(small))
    once.delete_object(Bucket=bucket, Key="condition-removed")
    try:
        once.put_object(Bucket=bucket, Key="condition", Body=io.BytesIO(small), IfNoneMatch="*")
        raise SystemExit("If-None-Match had no effect")
    except ClientError as error:
        expect(error.response["Error"]["Code"], "PreconditionFailed")

# Pagination.
keys = [f"pages/{number:02} + ü%" for number in range(25)]
for key in keys:
    s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
paginator = s3.get_paginator("list_objects_v2")
pages = list(paginator.paginate(Bucket=bucket, Prefix="pages/", PaginationConfig={"PageSize": 10}))
expect([len(page["Contents"]) for page in pages], [10, 10, 5])
expect([entry["Key"] for page in pages for entry in page["Contents"]], keys)

# Presigned requests, sent by a client without credentials. boto3 uses signature version 2 by default. Version 4 also
# covers the host and its port.
signed_keys = []
for version, client in {"2": s3, "4": boto3.client("s3", config=Config(signature_version="s3v4"))}.items():
    key = f"presigned/{version} ü + 100%"
    url = client.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": key})
    expect("X-Amz-Signature" in url, version == "4")
    expect(http.request("PUT", url, body=small).status, 200)
    url = client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key})
    answer = http.request("GET", url)
    expect((answer.status, answer.data), (200, small))

    limit = ["content-length-range", 1, 2000]
    form = client.generate_presigned_post(bucket, f"form/{version}/${{filename}}", Conditions=[limit])
    expect("x-amz-signature" in form["fields"], version == "4")
    for body, status in [(large[:3000], 400), (small, 204)]:
        fields = {**form["fields"], "file": ("posted.bin", body)}
        expect(http.request("POST", form["url"], fields=fields).status, status)
    expect(content_of(f"form/{version}/posted.bin"), small)
    signed_keys += [key, f"form/{version}/posted.bin"]

# Deletes all of them in one request.
keys += ["small", "large", "condition", *signed_keys]
answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
expect((sorted(entry["Key"] for entry in answer["Deleted"]), answer.get("Errors")), (sorted(keys), None))
s3.delete_bucket(Bucket=bucket)
