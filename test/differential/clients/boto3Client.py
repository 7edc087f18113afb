"""Client of the differential test: boto3. Reads a command a line, and answers each with the outcome a line (../protocol.ts)."""

import base64
import hashlib
import http.client
import io
import json
import os
import socket
import sys
from urllib.parse import unquote

import boto3
from botocore import UNSIGNED, exceptions, xform_name
from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from botocore.config import Config

SECONDS = 20
ENDPOINT = os.environ["S3_ENDPOINT"]
LONGEST_BODY = 100_000

connections = 0
resolve = socket.getaddrinfo


def resolve_to_target(_host, port, *rest, **options):
    global connections
    connections += 1
    return resolve(os.environ["S3_ADDRESS"], port, *rest, **options)


socket.getaddrinfo = resolve_to_target

# Python's own limit, 100, is below what S3's limit for metadata allows.
http.client._MAXHEADERS = 1000


class Aborted(Exception):
    """The body ends half-way."""


class Body(io.BytesIO):
    """A body as a file, which boto3 announces by `Expect: 100-continue`."""

    ends_at = None

    def read(self, size=-1):
        part = super().read(size)
        if self.ends_at is not None and self.tell() > self.ends_at:
            raise Aborted()
        return part


class RecordedSession:
    """The one HTTP session of all clients, which keeps the last response."""

    def __init__(self, session):
        self.session = session
        self.response = None

    def send(self, request):
        self.response = self.session.send(request)
        return self.response

    def close(self):
        self.session.close()


def client_of(**options):
    config = options.pop("config", Config())
    settings = Config(
        s3={"addressing_style": "path"},
        retries={"total_max_attempts": 1},
        connect_timeout=SECONDS,
        read_timeout=SECONDS,
        max_pool_connections=1,
    )
    return boto3.client("s3", endpoint_url=ENDPOINT, region_name="us-east-1", config=settings.merge(config), **options)


CLIENTS = {
    "owner": client_of(),
    "stranger": client_of(aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="a-wrong-secret"),
    "anonymous": client_of(config=Config(signature_version=UNSIGNED)),
}
session = RecordedSession(CLIENTS["owner"]._endpoint.http_session)
command = {}


def change_headers(request, **_):
    if command.get("expect"):
        request.headers["Expect"] = "100-continue"
    else:
        del request.headers["Expect"]
    for name, value in command.get("headers", []):
        request.headers[name] = value


for each in CLIENTS.values():
    each._endpoint.http_session = session
    each.meta.events.register("before-sign.s3", change_headers)


def body_of(description):
    block = base64.b64decode(description["block"])
    size = description["size"]
    return (block * (size // max(len(block), 1) + 1))[:size]


def parameters_of(asked):
    parameters = dict(asked["parameters"])
    if "CopySource" in parameters:
        parameters["CopySource"] = unquote(parameters["CopySource"])
    if "body" in asked:
        content = body_of(asked["body"])
        parameters["Body"] = Body(content) if asked.get("streamed") or "endsAt" in asked["body"] else content
        if "endsAt" in asked["body"]:
            parameters["Body"].ends_at = asked["body"]["endsAt"]
    return parameters


def send(method, url, headers, content):
    fields = HeadersDict()
    for name, value in headers:
        fields[name] = value
    if method in ("PUT", "POST") and "Content-Length" not in fields:
        fields["Content-Length"] = str(len(content))
    if command.get("expect"):
        fields["Expect"] = "100-continue"
    session.send(AWSPreparedRequest(method, url, fields, io.BytesIO(content) if content else b"", False))


def execute():
    content = body_of(command["body"]) if "body" in command else b""
    if command["operation"] == "Request":
        asked = command["parameters"]
        send(asked["method"], ENDPOINT + asked["target"], command.get("headers", []), content)
        return session.response.content
    client = CLIENTS[command.get("by", "owner")]
    if command.get("presigned"):
        name = xform_name(command["operation"])
        url = client.generate_presigned_url(name, Params=command["parameters"])
        model = client.meta.service_model.operation_model(command["operation"])
        send(model.http["method"], url, [], content)
        return session.response.content
    answer = getattr(client, xform_name(command["operation"]))(**parameters_of(command))
    if hasattr(answer.get("Body"), "read"):
        return answer["Body"].read()
    return session.response.content


def error_of(error):
    if isinstance(error, exceptions.ClientError):
        return error.response.get("Error", {}).get("Code", "")
    if isinstance(getattr(error, "kwargs", {}).get("error"), Aborted):
        return "aborted"
    if isinstance(error, (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError)):
        return "timeout"
    if isinstance(error, exceptions.HTTPClientError):
        return "connection"
    return type(error).__name__


def outcome_of_command():
    session.response = None
    outcome = {}
    content = b""
    try:
        content = execute()
    except Exception as error:
        outcome = {"error": error_of(error), "detail": str(error)[:500]}
        if session.response is not None and isinstance(error, exceptions.ClientError):
            content = session.response.content
    if session.response is not None:
        headers = {name.lower(): value for name, value in session.response.headers.items()}
        outcome |= {"status": session.response.status_code, "headers": headers}
    outcome["body"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if len(content) <= LONGEST_BODY:
        outcome["body"]["base64"] = base64.b64encode(content).decode()
    return outcome | {"connections": connections}


for line in sys.stdin:
    command = json.loads(line)
    if command["operation"] == "Reset":
        session.close()
        connections = 0
        print("{}", flush=True)
    else:
        print(json.dumps(outcome_of_command()), flush=True)
