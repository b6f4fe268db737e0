"""A network of one's own between a server and its store: a port that passes on what comes to another one, until it is told not to.

    with Link(primary.port) as link:
        link.cut()
"""

import contextlib
import socket
import threading
import time


class Link:
    """`port`: where to connect to; `delay_seconds`: how long each packet is under way to the store."""

    def __init__(self, to_port):
        self.to_port, self.delay_seconds = to_port, 0
        self.passes, self.sockets, self.is_over = threading.Event(), [], False
        self.passes.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.passes.set()
        # A thread that waits in it would keep the port.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        for each in (self.listener, *self.sockets):
            each.close()

    def cut(self):
        """Nothing passes any more, in either direction, as where packets are dropped; connections stay."""
        self.passes.clear()

    def heal(self):
        """What was kept back arrives, and all that follows."""
        self.passes.set()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.to_port))
                self.sockets += [near, far]
                threading.Thread(target=self._pass_on, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(far, near, False), daemon=True).start()

    def _pass_on(self, source, target, is_delayed):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if is_delayed and self.delay_seconds:
                    time.sleep(self.delay_seconds)
                self.passes.wait()
                if self.is_over:
                    return
                target.sendall(data)
        self.passes.wait()
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
