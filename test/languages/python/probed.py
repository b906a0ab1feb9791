"""A receiver by hand on loopback: `is_genuine` of RECEIVING.md stands before it. It prints its port."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["TRADEPOST_WEBHOOK_SECRET"]


class Handler(BaseHTTPRequestHandler):
    def read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def do_POST(self) -> None:
        body = self.read_body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        genuine = is_genuine(SECRET, headers, body)  # noqa: F821
        self.send_response(204 if genuine and is_event(body) else 400)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def is_event(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body)["event"], str)
    except (KeyError, TypeError, ValueError):
        return False


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
