"""A network that can be cut: what goes through it comes late, or never."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class CutNetwork:
    """A port of 127.0.0.1 behind which another one lies. While it is cut, connections are taken and nothing is handed
    on in either direction; what was held back goes on when it is mended."""

    def __init__(self, port: int) -> None:
        self.target_port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._whole = threading.Event()
        self._whole.set()
        self._is_closed = False
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    def close(self) -> None:
        """End every connection through it."""
        self._is_closed = True
        for end in (self._listening, *self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._whole.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while not self._is_closed:
                near, _ = self._listening.accept()
                self._ends.append(near)
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        self._whole.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target_port))
        except OSError:
            near.close()
            return
        self._ends.append(far)
        threading.Thread(target=self._pump, args=(far, near), daemon=True).start()
        self._pump(near, far)

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                self._whole.wait()
                other.sendall(data)
        self._whole.wait()  # an end is not heard of either
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def network_to(port: int) -> Iterator[CutNetwork]:
    """A network to a port, closed afterwards."""
    network = CutNetwork(port)
    try:
        yield network
    finally:
        network.close()
