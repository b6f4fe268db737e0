"""Endpoints for tests of what the program sends: they keep what they get, and tests wait for it."""

import http.server
import threading
import time

from cli_test import SECONDS


def first_times(values):
    return list(dict.fromkeys(values))


class _QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a server that was killed


class FakeEndpoint:
    """Answers POST by `answer(path, headers, body)`: (status, headers, bytes), or None to close the connection without an answer.
    Whatever it keeps changes under `changed`."""

    def __init__(self, tls=None):
        self.changed = threading.Condition()
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = endpoint.answer(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = _QuietServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, headers, body):
        raise NotImplementedError

    def story(self):
        """What it has seen, for a test that has waited too long."""
        raise NotImplementedError

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, holds):
        deadline = time.monotonic() + SECONDS
        with self.changed:
            while not holds(self):
                if not self.changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"not within {SECONDS} s; {self.story()}")
