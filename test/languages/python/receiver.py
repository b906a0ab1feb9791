"""A receiver of deliveries on loopback. It puts each one into a queue and acknowledges it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue


@contextmanager
def start_receiver() -> Iterator[tuple[str, "Queue[tuple[Message, bytes]]"]]:
    """Yields the URL to register, and the queue of headers and raw bodies."""
    received: Queue[tuple[Message, bytes]] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put((self.headers, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/deliveries", received
    finally:
        server.shutdown()
        server.server_close()
