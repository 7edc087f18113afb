"""Keeps notes in the store: PUT and GET of /notes/<name>. Its variables BUCKET and AWS_* name the store."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3

BUCKET = os.environ["BUCKET"]
s3 = boto3.client("s3")


class Notes(BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        s3.put_object(Bucket=BUCKET, Key=self.path, Body=body)
        self.answer(201, b"kept\n")

    def do_GET(self):
        if self.path == "/health":
            return self.answer(200, b"ok\n")
        try:
            self.answer(200, s3.get_object(Bucket=BUCKET, Key=self.path)["Body"].read())
        except s3.exceptions.NoSuchKey:
            self.answer(404, b"no such note\n")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", 8080), Notes).serve_forever()
