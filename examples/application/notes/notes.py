"""Keeps notes in the store: PUT and GET of /notes/<name>. What it knows of the store, AWS_* variables say."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3

BUCKET = "notes"
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


try:
    s3.create_bucket(Bucket=BUCKET)
except (s3.exceptions.BucketAlreadyOwnedByYou, s3.exceptions.BucketAlreadyExists):
    pass
ThreadingHTTPServer(("", 8080), Notes).serve_forever()
